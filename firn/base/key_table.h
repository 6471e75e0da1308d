// The keys of a configuration: each one's name, place, meaning and allowed values, written once and used for reading,
// defaults, overrides, messages and documentation.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "firn/base/value.h"

namespace firn {

// What a key accepts beyond its type: a range for numbers, a choice of names for strings; for lists, of each element.
// NumbersOrWord has both.
struct Allowed {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices;  // empty: any string
};

Allowed at_least(double low);
Allowed between(double low, double high);  // both included
Allowed one_of(std::vector<std::string> choices);

struct Key {
  std::string name;      // dotted, such as data.synthetic.inputs
  std::string doc;       // one sentence
  std::string expected;  // completes "KEY must be ...", such as "an integer from 1 to 63"
  bool is_text = false;
  std::vector<std::string> choices;
  std::function<Value()> get;
  std::function<bool(const Value&)> set;  // false: not what is expected, and the place keeps its value
};

struct Section {
  std::string name;  // dotted; the top of the file has the empty name
  std::string doc;
  std::vector<Key> keys;
};

// A table describes one settings object, which must outlive it: keys read and write the object's members.
class KeyTable {
 public:
  // Opens a section; the keys added next belong to it.
  void section(std::string name, std::string doc);

  // T: bool, an integer, a floating-point number, std::string, a vector of one of them, or NumbersOrWord.
  template <class T>
  void add(std::string_view name, T& place, std::string doc, Allowed allowed = {});

  const std::vector<Section>& sections() const { return sections_; }
  const Key* find(std::string_view name) const;
  bool has_section(std::string_view name) const;  // also true of a section that only holds others
  std::vector<std::string> key_names() const;
  std::vector<std::string> section_names() const;

 private:
  void add(Key key);

  std::vector<Section> sections_;
};

namespace key_table {

template <class T>
struct Element {
  using Type = T;
  static constexpr bool kList = false;
};
template <class T>
struct Element<std::vector<T>> {
  using Type = T;
  static constexpr bool kList = true;
};

std::string expected_text(const Allowed& allowed, bool list);
std::string expected_bool(bool list);
std::string expected_number(bool integer, const Allowed& allowed, bool list);
bool is_choice(const std::string& text, const Allowed& allowed);

template <class T>
std::optional<T> from_scalar(const Scalar& scalar, const Allowed& allowed) {
  if constexpr (std::same_as<T, bool>) {
    if (const bool* flag = std::get_if<bool>(&scalar)) return *flag;
  } else if constexpr (std::same_as<T, std::string>) {
    if (const auto* text = std::get_if<std::string>(&scalar); text && is_choice(*text, allowed)) return *text;
  } else if constexpr (std::integral<T>) {
    const auto* number = std::get_if<std::int64_t>(&scalar);
    if (!number || !std::in_range<T>(*number)) return std::nullopt;
    const auto value = static_cast<double>(*number);
    if (value >= allowed.low && value <= allowed.high) return static_cast<T>(*number);
  } else {
    static_assert(std::floating_point<T>);
    double value = std::numeric_limits<double>::quiet_NaN();  // fits nowhere
    if (const auto* integer = std::get_if<std::int64_t>(&scalar)) value = static_cast<double>(*integer);
    if (const auto* number = std::get_if<double>(&scalar)) value = *number;
    const bool fits = std::abs(value) <= static_cast<double>(std::numeric_limits<T>::max());
    if (fits && value >= allowed.low && value <= allowed.high) return static_cast<T>(value);
  }
  return std::nullopt;
}

template <class T>
Scalar to_scalar(const T& value) {
  if constexpr (std::same_as<T, bool> || std::same_as<T, std::string>) {
    return value;
  } else if constexpr (std::integral<T>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::same_as<T, float>) {
    // Through the shortest decimal, so that 0.1f is shown as 0.1 and not as the double nearest to it.
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    double shortest = 0;
    std::from_chars(digits, end, shortest);
    return shortest;
  } else {
    return static_cast<double>(value);
  }
}

template <class T>
std::string expected(Allowed allowed, bool list) {
  if constexpr (std::same_as<T, NumbersOrWord>) {
    return expected_text(allowed, false) + " or " + expected_number(false, allowed, true);
  } else if constexpr (std::same_as<T, bool>) {
    return expected_bool(list);
  } else if constexpr (std::same_as<T, std::string>) {
    return expected_text(allowed, list);
  } else {
    if constexpr (std::unsigned_integral<T>) allowed.low = std::max(allowed.low, 0.0);
    return expected_number(std::integral<T>, allowed, list);
  }
}

template <class T>
bool assign(std::vector<T>& place, const Value& value, const Allowed& allowed) {
  if constexpr (std::same_as<T, std::string>) {
    // A single string may stand for a list of one, such as freeze.scope = "conv".
    if (const auto* text = std::get_if<std::string>(&value)) {
      if (is_choice(*text, allowed)) place = {*text};
      return is_choice(*text, allowed);
    }
  }
  const auto* list = std::get_if<std::vector<Scalar>>(&value);
  if (!list) return false;
  std::vector<T> elements;
  for (const Scalar& scalar : *list) {
    std::optional<T> element = from_scalar<T>(scalar, allowed);
    if (!element) return false;
    elements.push_back(std::move(*element));
  }
  place = std::move(elements);
  return true;
}

inline bool assign(NumbersOrWord& place, const Value& value, const Allowed& allowed) {
  NumbersOrWord read;
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (!is_choice(*text, allowed)) return false;
    read.word = *text;
  } else if (!assign(read.numbers, value, allowed)) {
    return false;
  }
  place = std::move(read);
  return true;
}

template <class T>
bool assign(T& place, const Value& value, const Allowed& allowed) {
  std::optional<T> read = std::visit(
      [&](const auto& v) -> std::optional<T> {
        if constexpr (std::same_as<std::decay_t<decltype(v)>, std::vector<Scalar>>)
          return std::nullopt;
        else
          return from_scalar<T>(v, allowed);
      },
      value);
  if (read) place = std::move(*read);
  return read.has_value();
}

template <class T>
Value read(const std::vector<T>& place) {
  std::vector<Scalar> list;
  for (const auto& element : place) list.push_back(to_scalar<T>(element));
  return list;
}

inline Value read(const NumbersOrWord& place) {
  return place.word.empty() ? read(place.numbers) : Value(place.word);
}

template <class T>
Value read(const T& place) {
  return std::visit([](auto&& v) { return Value(std::move(v)); }, to_scalar(place));
}

}  // namespace key_table

template <class T>
void KeyTable::add(std::string_view name, T& place, std::string doc, Allowed allowed) {
  using E = key_table::Element<T>;
  Key key;
  key.name = name;
  key.doc = std::move(doc);
  key.expected = key_table::expected<typename E::Type>(allowed, E::kList);
  key.is_text = std::same_as<T, std::string>;
  key.choices = allowed.choices;
  key.get = [&place] { return key_table::read(place); };
  key.set = [&place, allowed = std::move(allowed)](const Value& v) { return key_table::assign(place, v, allowed); };
  add(std::move(key));
}

}  // namespace firn
