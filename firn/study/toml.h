// The TOML library without its assertions: some malformed texts break them before they get their error, and a library
// must not end its host over a configuration.
#pragma once

#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>
