// The application: finds the command, runs it, and turns every failure into one sentence and an exit code.
#pragma once

#include <functional>
#include <string>

namespace firn::cli {

// Prints a sentence to standard error.
void print_failure(const std::string& sentence);
// The same for what does not keep a command from its work.
void print_note(const std::string& sentence);

// The exit code that `body` returns; whatever it throws goes to `report` as one sentence.
int run_guarded(const std::function<int()>& body,
                const std::function<void(const std::string& sentence)>& report = print_failure);

int run_app(int argc, const char* const* argv);

}  // namespace firn::cli
