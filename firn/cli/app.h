// The application: finds the command, runs it, and turns every failure into one sentence and an exit code.
#pragma once

#include <functional>

namespace firn::cli {

// The exit code that `body` returns; whatever it throws is printed to standard error as one sentence.
int run_guarded(const std::function<int()>& body);

int run_app(int argc, const char* const* argv);

}  // namespace firn::cli
