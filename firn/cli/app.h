// The application: finds the command, runs it, and turns every failure into one sentence and an exit code.
#pragma once

namespace firn {

int run_app(int argc, const char* const* argv);

}  // namespace firn
