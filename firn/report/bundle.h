// The scripts and style sheets of pages: bundled from web/ when Firn is built with npm at hand, and compiled in.
#pragma once

#include <string_view>

namespace firn::report {

// All are empty where the packages of web/ were not there when Firn was built.
std::string_view report_script();
std::string_view report_style();
std::string_view play_script();
std::string_view play_style();

}  // namespace firn::report
