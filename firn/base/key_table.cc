#include "firn/base/key_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/base/error.h"

namespace firn {

Allowed at_least(double low) {
  Allowed allowed;
  allowed.low = low;
  return allowed;
}

Allowed between(double low, double high) {
  Allowed allowed;
  allowed.low = low;
  allowed.high = high;
  return allowed;
}

Allowed one_of(std::vector<std::string> choices) {
  Allowed allowed;
  allowed.choices = std::move(choices);
  return allowed;
}

void KeyTable::section(std::string name, std::string doc) {
  FIRN_CHECK(std::none_of(sections_.begin(), sections_.end(), [&](const Section& s) { return s.name == name; }));
  sections_.push_back({std::move(name), std::move(doc), {}});
}

void KeyTable::add(Key key) {
  FIRN_CHECK(!sections_.empty() && find(key.name) == nullptr);
  const std::size_t dot = key.name.rfind('.');
  FIRN_CHECK(key.name.substr(0, dot == std::string::npos ? 0 : dot) == sections_.back().name);
  sections_.back().keys.push_back(std::move(key));
}

const Key* KeyTable::find(std::string_view name) const {
  for (const Section& section : sections_)
    for (const Key& key : section.keys)
      if (key.name == name) return &key;
  return nullptr;
}

bool KeyTable::has_section(std::string_view name) const {
  const std::string prefix = std::string(name) + '.';
  return std::any_of(sections_.begin(), sections_.end(),
                     [&](const Section& s) { return s.name == name || s.name.starts_with(prefix); });
}

std::vector<std::string> KeyTable::key_names() const {
  std::vector<std::string> names;
  for (const Section& section : sections_)
    for (const Key& key : section.keys) names.push_back(key.name);
  return names;
}

std::vector<std::string> KeyTable::section_names() const {
  std::vector<std::string> names;
  for (const Section& section : sections_)
    if (!section.name.empty()) names.push_back(section.name);
  return names;
}

namespace key_table {

std::string expected_text(const Allowed& allowed, bool list) {
  const std::string names = fmt::format("{}", fmt::join(allowed.choices, ", "));
  if (list) return allowed.choices.empty() ? "a list of strings" : "a list of strings among " + names;
  return allowed.choices.empty() ? "a string" : "one of " + names;
}

std::string expected_bool(bool list) {
  return list ? "a list of true and false" : "true or false";
}

std::string expected_number(bool integer, const Allowed& allowed, bool list) {
  std::string words = list ? "a list of " : "";
  words += integer ? (list ? "integers" : "an integer") : (list ? "numbers" : "a number");
  if (std::isfinite(allowed.low) && std::isfinite(allowed.high))
    return fmt::format("{} from {} to {}", words, allowed.low, allowed.high);
  if (std::isfinite(allowed.low)) return fmt::format("{} of at least {}", words, allowed.low);
  return words;
}

bool is_choice(const std::string& text, const Allowed& allowed) {
  return allowed.choices.empty() ||
         std::find(allowed.choices.begin(), allowed.choices.end(), text) != allowed.choices.end();
}

}  // namespace key_table
}  // namespace firn
