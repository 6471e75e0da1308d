#include "firn/study/aggregate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "firn/base/table.h"

namespace firn::study {

namespace {

std::size_t position_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

std::string escape_markdown(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<' || c == '`' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string escape_latex(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  }
  return out;
}

std::string latex_cell(const Summary& summary, bool best) {
  if (summary.count == 0) return "--";
  const std::string digits = fmt::format("{:.2f}", summary.mean);
  const std::string mean = best ? "\\mathbf{" + digits + "}" : digits;
  return summary.deviation ? fmt::format("${} \\pm {:.2f}$", mean, *summary.deviation) : fmt::format("${}$", mean);
}

}  // namespace

Summary summarize(std::span<const double> values) {
  if (values.empty()) return {};
  const double count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() == 1) return {1, mean, std::nullopt};
  double squares = 0;
  for (double value : values) squares += (value - mean) * (value - mean);
  return {values.size(), mean, std::sqrt(squares / (count - 1))};
}

std::string to_text(const Summary& summary) {
  if (summary.count == 0) return "-";
  return summary.deviation ? fmt::format("{:.2f} ± {:.2f}", summary.mean, *summary.deviation)
                           : fmt::format("{:.2f}", summary.mean);
}

void Comparison::add(const std::string& row, const std::string& column, double value) {
  const std::size_t r = position_of(rows_, row), c = position_of(columns_, column);
  auto cell = std::ranges::find_if(cells_, [&](const Cell& x) { return x.row == r && x.column == c; });
  if (cell == cells_.end()) cell = cells_.insert(cells_.end(), {r, c, {}});
  cell->values.push_back(value);
}

Summary Comparison::at(std::size_t row, std::size_t column) const {
  const auto cell = std::ranges::find_if(cells_, [&](const Cell& x) { return x.row == row && x.column == column; });
  return cell == cells_.end() ? Summary{} : summarize(cell->values);
}

std::vector<bool> Comparison::best_of_columns() const {
  std::vector<bool> best(rows_.size() * columns_.size(), false);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::optional<std::size_t> winner;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (at(r, c).count > 0 && (!winner || at(r, c).mean > at(*winner, c).mean)) winner = r;
    if (winner && rows_.size() > 1) best[*winner * columns_.size() + c] = true;
  }
  return best;
}

std::string Comparison::text() const {
  std::vector<TextTable::Column> titles = {{corner_}};
  for (const std::string& column : columns_) titles.push_back({column, TextTable::Align::kRight});
  TextTable table(titles);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::vector<std::string> cells = {rows_[r]};
    for (std::size_t c = 0; c < columns_.size(); ++c) cells.push_back(to_text(at(r, c)));
    table.add(cells);
  }
  return table.str();
}

std::string Comparison::csv() const {
  std::string out = csv_row({corner_, "column", "count", "mean", "deviation"});
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Summary summary = at(r, c);
      if (summary.count == 0) continue;
      out += csv_row({rows_[r], columns_[c], std::to_string(summary.count), fmt::format("{:.6g}", summary.mean),
                      summary.deviation ? fmt::format("{:.6g}", *summary.deviation) : ""});
    }
  return out;
}

std::string Comparison::markdown() const {
  std::string out = fmt::format("| {} |", escape_markdown(corner_)), rule = "|---|";
  for (const std::string& column : columns_) {
    out += fmt::format(" {} |", escape_markdown(column));
    rule += "---:|";
  }
  out += "\n" + rule + "\n";
  const std::vector<bool> best = best_of_columns();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    out += fmt::format("| {} |", escape_markdown(rows_[r]));
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string mark = best[r * columns_.size() + c] ? "**" : "";
      out += fmt::format(" {}{}{} |", mark, to_text(at(r, c)), mark);
    }
    out += "\n";
  }
  return out;
}

std::string Comparison::latex() const {
  std::string out =
      fmt::format("\\begin{{tabular}}{{l{}}}\n\\hline\n{}", std::string(columns_.size(), 'r'), escape_latex(corner_));
  for (const std::string& column : columns_) out += " & " + escape_latex(column);
  out += " \\\\\n\\hline\n";
  const std::vector<bool> best = best_of_columns();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    out += escape_latex(rows_[r]);
    for (std::size_t c = 0; c < columns_.size(); ++c)
      out += " & " + latex_cell(at(r, c), best[r * columns_.size() + c]);
    out += " \\\\\n";
  }
  return out + "\\hline\n\\end{tabular}\n";
}

}  // namespace firn::study
