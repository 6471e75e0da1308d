#include <csignal>

#include "firn/cli/app.h"

int main(int argc, char** argv) {
  // A reader that has seen enough (`firn config keys | head`) ends the program quietly, whatever the parent process
  // had chosen to do about closed pipes.
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows beyond its limit is an error like a full disk
  return firn::cli::run_app(argc, argv);
}
