// Reads text that must be just so: what a writer of ours writes, word by word, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace firn::exchange {

// The beginning of a text, no further than its line, fit for a message.
std::string glimpse(std::string_view text);

// Every refusal is an Error that names the source, the line, and what stands there.
class Scanner {
 public:
  // `language` is what the text should be, as in "the C that Firn writes".
  Scanner(std::string_view text, std::string source, std::string language)
      : text_(text), source_(std::move(source)), language_(std::move(language)) {}

  bool accept(std::string_view word);  // goes past the word if it stands here
  bool sees(std::string_view word) const { return rest().starts_with(word); }
  void expect(std::string_view word);
  void expect_end() const;
  // A line that begins with the word and that every tool takes for a comment, to its end and no further.
  void skip_comment_line(std::string_view begin);

  std::string_view until(char end);  // what stands before the letter, which must come

  std::string_view identifier();  // letters, digits and underscores; no digit first
  std::string name();             // of a function or module: no word that has a meaning already
  void check_name(const std::string& name) const;
  // Decimal, below the limit. A zero in front is refused: it makes another name, and in C another number.
  std::uint32_t number(std::uint64_t limit);

  std::size_t remaining() const { return text_.size() - at_; }
  [[noreturn]] void fail() const;
  [[noreturn]] void fail(const std::string& sentence) const;

 private:
  std::string_view rest() const { return text_.substr(at_); }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string source_, language_;
};

}  // namespace firn::exchange
