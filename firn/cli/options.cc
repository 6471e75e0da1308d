#include "firn/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <optional>

#include "firn/base/error.h"

namespace firn::cli {

namespace {

template <class T>
struct NumberOf {
  using Type = T;
};
template <class T>
struct NumberOf<std::optional<T>> : NumberOf<T> {};
template <class T>
struct NumberOf<std::vector<T>> : NumberOf<T> {};

template <class T>
constexpr bool kIsUnsigned = std::is_unsigned_v<typename NumberOf<T>::Type>;

// CLI11 reads with strtoull(), which takes -1 for the largest number, and what is larger for the largest as well. Here
// is the complaint about either; nothing where CLI11 may go on.
std::string complaint_about_unsigned(const std::string& word) {
  if (word.find('-') != std::string::npos) return fmt::format("{} is negative; give a whole number, 0 or more", word);
  errno = 0;
  std::strtoull(word.c_str(), nullptr, 0);
  return errno == ERANGE ? fmt::format("{} is too large", word) : "";
}

// CLI11's own rules, whose complaints name the largest double there is, with all of its 309 digits.
CLI::Validator number_rule(const std::string& description, const std::string& what,
                           const std::function<bool(double)>& is_allowed) {
  const auto complaint = [what, is_allowed](const std::string& word) {
    double number = 0;
    const bool is_number = CLI::detail::lexical_cast(word, number);
    return is_number && is_allowed(number) ? std::string() : fmt::format("{} is not {}", word, what);
  };
  return {complaint, description, ""};
}

}  // namespace

Option Option::type_name(const std::string& word) {
  option_->type_name(word);
  return *this;
}

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::one_of(const std::vector<std::string>& choices) {
  option_->check(CLI::IsMember(choices));
  return *this;
}

Option Option::positive() {
  option_->check(number_rule("POSITIVE", "a number greater than 0", [](double number) { return number > 0; }));
  return *this;
}

Option Option::not_negative() {
  option_->check(number_rule("NONNEGATIVE", "a number of 0 or more", [](double number) { return number >= 0; }));
  return *this;
}

Option Option::separated_by(char delimiter) {
  option_->delimiter(delimiter)->allow_extra_args(false);
  return *this;
}

Option Option::repeatable() {
  option_->expected(1)->take_all()->allow_extra_args(false);
  return *this;
}

Option Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

bool Option::given() const {
  FIRN_CHECK(option_ != nullptr);
  return !option_->empty();
}

Option Option::between_integers(std::int64_t low, std::int64_t high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option Option::between_reals(double low, double high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

template <class T>
Option Options::add(const std::string& names, T& value, const std::string& help) {
  CLI::Option* option = app_.add_option(names, value, help);
  if constexpr (kIsUnsigned<T>) option->check(CLI::Validator(complaint_about_unsigned, ""));
  return Option(option);
}

void Options::add_flag(const std::string& names, bool& value, const std::string& help) {
  app_.add_flag(names, value, help);
}

template Option Options::add(const std::string&, std::string&, const std::string&);
template Option Options::add(const std::string&, int&, const std::string&);
template Option Options::add(const std::string&, std::size_t&, const std::string&);
template Option Options::add(const std::string&, double&, const std::string&);
template Option Options::add(const std::string&, std::optional<std::size_t>&, const std::string&);
template Option Options::add(const std::string&, std::vector<std::string>&, const std::string&);
template Option Options::add(const std::string&, std::vector<std::size_t>&, const std::string&);
template Option Options::add(const std::string&, std::vector<double>&, const std::string&);

}  // namespace firn::cli
