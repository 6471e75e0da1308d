// What a command takes on its command line. CLI11 does the work and stays behind this header: it is large, and every
// source that sees it takes seconds longer to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace firn::cli {

// One option or argument. Every call adds a rule or a word of help, and may be followed by others.
class Option {
 public:
  explicit Option(CLI::Option* option = nullptr) : option_(option) {}

  Option type_name(const std::string& word);  // what help shows for the value; nothing for arguments
  Option required();
  Option one_of(const std::vector<std::string>& choices);
  Option positive();
  Option not_negative();
  Option separated_by(char delimiter);  // a list in one word
  Option repeatable();                  // a list with one value each time the option is given
  Option show_default();
  Option excludes(Option other);

  template <class T>
  Option between(T low, T high) {
    if constexpr (std::is_floating_point_v<T>)
      return between_reals(low, high);
    else
      return between_integers(static_cast<std::int64_t>(low), static_cast<std::int64_t>(high));
  }

  bool given() const;

 private:
  Option between_integers(std::int64_t low, std::int64_t high);
  Option between_reals(double low, double high);

  CLI::Option* option_;
};

// The options of one command. They keep references to the values.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}

  // `names` as in "-o,--output"; an argument has a name without dashes.
  // T is one of those at the end of options.cc: words, numbers, lists of them.
  template <class T>
  Option add(const std::string& names, T& value, const std::string& help);
  void add_flag(const std::string& names, bool& value, const std::string& help);

 private:
  CLI::App& app_;
};

}  // namespace firn::cli
