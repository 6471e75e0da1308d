// Many results as one table: mean and sample standard deviation over repetitions, in the forms people paste.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace firn::study {

struct Summary {
  std::size_t count = 0;
  double mean = 0;
  std::optional<double> deviation;  // of the sample; nothing for a single value
};

Summary summarize(std::span<const double> values);
std::string to_text(const Summary& summary);  // "60.76 ± 0.46", "60.76" for one value, "-" for none

// A table of summaries that grows value by value; rows and columns are in the order in which they first appear.
class Comparison {
 public:
  // `corner` names the rows; larger values are better.
  explicit Comparison(std::string corner) : corner_(std::move(corner)) {}

  void add(const std::string& row, const std::string& column, double value);

  const std::vector<std::string>& rows() const { return rows_; }
  const std::vector<std::string>& columns() const { return columns_; }
  Summary at(std::size_t row, std::size_t column) const;

  std::string text() const;
  std::string csv() const;       // one line a cell: row, column, count, mean, deviation
  std::string markdown() const;  // the best mean of each column is bold, here and in LaTeX
  std::string latex() const;     // a tabular

 private:
  struct Cell {
    std::size_t row, column;
    std::vector<double> values;
  };
  std::vector<bool> best_of_columns() const;  // [row * columns + column]

  std::string corner_;
  std::vector<std::string> rows_, columns_;
  std::vector<Cell> cells_;
};

}  // namespace firn::study
