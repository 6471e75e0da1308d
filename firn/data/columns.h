// From a table of text fields to a schema and labelled examples: which column is the label, and what the others become.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firn/data/dataset.h"
#include "firn/data/field_table.h"
#include "firn/data/schema.h"

namespace firn::data {

struct ColumnRules {
  std::string label_column = {};  // a column's name, or its number from 0 (negative: from the end); empty: the default
  std::vector<std::string> columns = {};  // data.columns: "age:numeric", "colour:categorical(red|blue)", "id:ignore"
  std::string missing = "category";       // data.missing, a name in missing_policies()
  bool ignore_unknown = false;            // categories that are not in the training table set no feature
  bool predicts_values = false;           // the label column holds numbers, not classes
  bool label_first = false;               // the default label column: the first or the last
  bool integers_are_names = false;        // columns of 3 to 16 different integers are categories, as in MONK's tables
  bool last_may_be_id = false;            // a last column of words that never repeat is left out
};

// A column is numeric if every cell that is not missing is a number; it is categorical if fewer than half of them are
// numbers or look like numbers. What lies between is refused with file, line, name and content, because a single bad
// cell must not turn numbers into categories; rules.columns says what such a column is. A column that is declared is
// what it is declared to be.
//
// Where every numeric column that is not declared holds 0 and 1 only, and no other is numeric, values are bits.
Schema infer_schema(const FieldTable& table, const ColumnRules& rules);

// The classes of a table in ascending order, fit for printing. Refuses labels that are missing.
std::vector<std::string> classes_in(const FieldTable& table, const Schema& schema);

// A schema and classes by the training table, or no classes where values are predicted; the test table, which may have
// no rows, is read by both, as any other table with labels would be.
Dataset dataset_from_tables(FieldTable train, FieldTable test, const ColumnRules& rules);

// Names of data.missing: what becomes of a cell without a value.
std::vector<std::string> missing_policies();

}  // namespace firn::data
