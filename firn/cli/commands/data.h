// `firn data`: lists data sources, checks and fetches the well-known sets, and shows what is in one.
#pragma once

#include <memory>

#include "firn/cli/command.h"

namespace firn::cli {

std::unique_ptr<Command> make_data_list();
std::unique_ptr<Command> make_data_check();
std::unique_ptr<Command> make_data_fetch();
std::unique_ptr<Command> make_data_show();

}  // namespace firn::cli
