#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "firn/base/clock.h"
#include "firn/base/family.h"
#include "firn/base/nearest.h"
#include "firn/base/table.h"
#include "firn/cli/commands/data.h"
#include "firn/cli/commands/data_root_option.h"
#include "firn/cli/commands/set_option.h"
#include "firn/cli/picture.h"
#include "firn/cli/terminal.h"
#include "firn/cli/usage_error.h"
#include "firn/data/cells.h"
#include "firn/data/column_words.h"
#include "firn/data/gather.h"
#include "firn/data/source.h"
#include "firn/data/split.h"
#include "firn/encode/density.h"
#include "firn/encode/encoder.h"
#include "firn/study/config_text.h"
#include "firn/study/settle.h"
#include "firn/study/words.h"

namespace firn::cli {
namespace {

using Align = TextTable::Align;

constexpr std::size_t kMostRows = 16;  // of classes, or of groups that each have thresholds of their own

constexpr std::size_t kMostExamples = 1000;

std::string describe(const Shape& shape) {
  if (shape.height == 1 && shape.width == 1)
    return fmt::format("{} feature{}", shape.channels, shape.channels == 1 ? "" : "s");
  return fmt::format("{} channel{} of {} x {}", shape.channels, shape.channels == 1 ? "" : "s", shape.height,
                     shape.width);
}

// Where values are predicted: how they are spread.
std::string value_table(const Dataset& dataset, const Split& split) {
  TextTable table({{"values to predict"},
                   {"count", Align::kRight},
                   {"smallest", Align::kRight},
                   {"mean", Align::kRight},
                   {"largest", Align::kRight}});
  const auto add = [&](const char* name, const std::vector<float>& values) {
    if (values.empty()) return;
    const auto [low, high] = std::ranges::minmax(values);
    double mean = 0;
    for (const float value : values) mean += value / static_cast<double>(values.size());
    table.add({name, std::to_string(values.size()), fmt::format("{:.6g}", low), fmt::format("{:.6g}", mean),
               fmt::format("{:.6g}", high)});
  };
  add("training", gather_examples(dataset.train, split.train).targets);
  add("validation", gather_examples(dataset.train, split.validation).targets);
  add("test", dataset.test.targets);
  return table.str();
}

std::string class_table(const Dataset& dataset, const Split& split) {
  if (!dataset.train.targets.empty()) return value_table(dataset, split);
  std::vector<std::size_t> train(dataset.classes), validation(dataset.classes), test(dataset.classes);
  for (const std::uint32_t i : split.train) ++train[dataset.train.labels[i]];
  for (const std::uint32_t i : split.validation) ++validation[dataset.train.labels[i]];
  for (const std::uint16_t label : dataset.test.labels) ++test[label];
  TextTable table({{"class"}, {"training", Align::kRight}, {"validation", Align::kRight}, {"test", Align::kRight}});
  const auto add = [&](std::string name, std::size_t a, std::size_t b, std::size_t c) {
    table.add({std::move(name), std::to_string(a), std::to_string(b), std::to_string(c)});
  };
  for (std::size_t c = 0; c < std::min(dataset.classes, kMostRows); ++c)
    add(class_name(dataset.class_names, c), train[c], validation[c], test[c]);
  if (dataset.classes > kMostRows) table.add({fmt::format("and {} more", dataset.classes - kMostRows), "", "", ""});
  add("all", split.train.size(), split.validation.size(), dataset.test.count());
  return table.str();
}

// What a column becomes, in few words.
std::string describe(const Schema& schema, const SchemaColumn& column) {
  if (column.kind == ColumnKind::kIgnored) return "nothing";
  if (column.kind == ColumnKind::kNumeric)
    return schema.values == CellValues::kBits ? "1 feature, 0 or 1" : "1 feature";
  constexpr std::size_t kMostCategories = 6;
  std::vector<std::string_view> names;
  for (const std::string& category : column.categories) names.push_back(category_name(category));
  const std::size_t count = names.size();
  names.resize(std::min(count, kMostCategories));
  return fmt::format("{} feature{}: {}{}", count, count == 1 ? "" : "s", fmt::join(names, ", "),
                     count > kMostCategories ? ", ..." : "");
}

std::string missing_of(const SchemaColumn& column) {
  if (column.kind == ColumnKind::kIgnored) return "";
  if (column.fill) return fmt::format("{:.6g}", *column.fill);
  return std::ranges::any_of(column.categories, [](const std::string& c) { return is_missing(c); }) ? "a category"
                                                                                                    : "refused";
}

// The columns of a table, and what was decided about them.
std::string column_table(const Schema& schema) {
  constexpr std::size_t kMostColumns = 100;
  TextTable table({{"column"}, {"kind"}, {"becomes"}, {"missing values"}});
  for (std::size_t c = 0; c < std::min(schema.columns.size(), kMostColumns); ++c) {
    const SchemaColumn& column = schema.columns[c];
    table.add({column.name, std::string(kind_name(column.kind)), describe(schema, column), missing_of(column)});
  }
  if (schema.columns.size() > kMostColumns)
    table.add({fmt::format("and {} more", schema.columns.size() - kMostColumns), "", "", ""});
  table.add({schema.label, "label", schema.label_is_value ? "the value" : "the class", "refused"});
  return fmt::format("{}{}", schema.has_header ? "" : "no header: columns are numbered from 0\n", table.str());
}

std::string group_name(const Dataset& dataset, std::size_t groups, std::size_t group) {
  const Shape& shape = dataset.shape;
  if (groups == 1) return "all";
  if (dataset.schema && groups == shape.size()) return feature_names(*dataset.schema)[group];
  const bool image = shape.height * shape.width > 1;
  if (image && groups == 3 && shape.channels == 3) return std::array{"red", "green", "blue"}[group];
  return fmt::format("{} {}", groups == shape.channels && image ? "channel" : "feature", group);
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Features of a group are consecutive. With more groups than anyone reads, a row covers them all.
std::string density_table(const Dataset& dataset, const Encoder& encoder,
                          const Matrix<double>& densities) {  // [thresholds][features]
  const Matrix<float>& thresholds = encoder.thresholds();     // [thresholds][groups]
  const std::size_t groups = thresholds.cols(), group_size = densities.cols() / groups;
  TextTable table({{"bit", Align::kRight}, {"of"}, {"threshold", Align::kRight}, {"density", Align::kRight}});
  for (std::size_t t = 0; t < thresholds.rows(); ++t) {
    const std::string bit = std::to_string(t + 1);
    if (groups > kMostRows) {
      const auto [low, high] = std::ranges::minmax(thresholds[t]);
      table.add({bit, fmt::format("{} groups", groups), fmt::format("{:.5g} to {:.5g}", low, high),
                 fmt::format("{:.3f}", mean(densities[t]))});
      continue;
    }
    for (std::size_t g = 0; g < groups; ++g)
      table.add({bit, group_name(dataset, groups, g), fmt::format("{:.5g}", thresholds[t][g]),
                 fmt::format("{:.3f}", mean(densities[t].subspan(g * group_size, group_size)))});
  }
  return table.str();
}

// An image as the network sees it: each pixel as bright as the share of its bits that are set.
std::vector<std::uint8_t> image_of_bits(const Encoder& encoder, const Examples& examples, std::size_t example) {
  const std::size_t features = encoder.input_shape().size(), thresholds = encoder.thresholds().rows();
  Matrix<std::uint64_t> bits(encoder.output_shape().size(), 1);
  encoder.encode_bits(SampleBlock::of(examples, example, 1), bits);
  std::vector<std::uint8_t> pixels(features);
  for (std::size_t f = 0; f < features; ++f) {
    std::size_t set = 0;
    for (std::size_t t = 0; t < thresholds; ++t) set += bits[t * features + f][0];
    pixels[f] = static_cast<std::uint8_t>(set * 255 / thresholds);
  }
  return pixels;
}

void print_images(const Dataset& dataset, const Encoder& encoder, std::size_t count) {
  count = std::min(count, dataset.train.count());
  std::vector<std::vector<std::uint8_t>> encoded(count);
  std::vector<Picture> before, after;
  for (std::size_t i = 0; i < count; ++i) {
    encoded[i] = image_of_bits(encoder, dataset.train, i);
    before.push_back({dataset.train.bytes[i], class_name(dataset.class_names, dataset.train.labels[i])});
    after.push_back({encoded[i], "as bits"});
  }
  const Terminal terminal = inspect_terminal(stdout);
  fmt::print("{}{}", draw(dataset.shape, before, terminal), draw(dataset.shape, after, terminal));
}

class DataShow final : public Command {
 public:
  void add_options(Options& options) override {
    options
        .add("SOURCE|CONFIG|FILE", what_,
             "A name from `firn data list`, a configuration in TOML, or your own file or folder")
        .required()
        .type_name("");
    options.add("--encoding", encoding_, "The same as --set encode.encoding=NAME").type_name("NAME");
    options.add("--thresholds", thresholds_, "The same as --set encode.thresholds=N").type_name("N");
    options.add("--scope", scope_, "The same as --set encode.scope=NAME").type_name("NAME");
    options.add("--examples", examples_, "Images to draw")
        .between(std::size_t{0}, kMostExamples)
        .type_name("N")
        .show_default();
    options.add_flag("--all-training", all_training_,
                     "Fit on all training examples, with those held out for validation");
    data_root_.add_to(options);
    sets_.add_to(options);
  }

  int run() override {
    Config config = read_config();
    const Stopwatch loading;
    const Dataset dataset = load_dataset(config.data);
    config = settle(std::move(config), dataset);
    const double load_time = 1e3 * loading.seconds();
    const Split split = split_train(dataset, config.data);
    const std::string predicted =
        dataset.train.targets.empty() ? fmt::format("{} classes", dataset.classes) : std::string("a value to predict");
    fmt::print("{}: {}, {}\n\n{}\n", dataset.name, describe(dataset.shape), predicted, class_table(dataset, split));
    if (dataset.schema) fmt::print("{}\n", column_table(*dataset.schema));

    std::vector<std::uint32_t> fitted_on = split.train;
    if (all_training_) fitted_on.insert(fitted_on.end(), split.validation.begin(), split.validation.end());
    const Stopwatch fitting;
    const Encoder encoder = fit_encoder(config.encode, dataset, fitted_on);
    const double fit_time = 1e3 * fitting.seconds();
    const Stopwatch encoding;
    const Matrix<double> densities = bit_densities(encoder, dataset.train, fitted_on);
    const double encode_time = 1e3 * encoding.seconds();
    fmt::print("{} encoding, fitted on {} training examples: {} bits each\n\n{}\n", config.encode.encoding,
               fitted_on.size(), encoder.output_shape().size(), density_table(dataset, encoder, densities));

    if (is_image(dataset)) print_images(dataset, encoder, examples_);
    fmt::print("load {:.0f} ms, fit {:.0f} ms, encode and count {:.0f} ms\n", load_time, fit_time, encode_time);
    return kDone;
  }

 private:
  static bool is_image(const Dataset& dataset) {
    return dataset.shape.height > 1 && dataset.shape.width > 1 && !dataset.train.has_reals();
  }

  Config read_config() const {
    std::vector<Override> overrides = sets_.overrides();
    const auto add = [&](const char* option, const char* key, const std::string& value) {
      if (!value.empty()) overrides.push_back({key, value, fmt::format("{} {}", option, value)});
    };
    add("--encoding", "encode.encoding", encoding_);
    add("--thresholds", "encode.thresholds", thresholds_);
    add("--scope", "encode.scope", scope_);
    Config config = !file_source().empty() ? parse_config(file_config(), what_, overrides)
                    : is_source() ? parse_config(fmt::format("data.source = \"{}\"\n", what_), what_, overrides)
                                  : load_config(what_, overrides);
    config.data.root = data_root_.resolve();
    return config;
  }

  // Thresholds of columns in different units are fitted column by column; those of other data suit the data.
  std::string file_config() const {
    return fmt::format("data.source = \"{}\"\ndata.file = {}\n{}", file_source(),
                       nlohmann::json(what_).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                       file_source() == "csv" ? "encode.scope = \"feature\"\nmodel.family = \"dense\"\n" : "");
  }

  // How a file or folder of the user is read; empty: it is no such thing.
  std::string_view file_source() const {
    if (what_.ends_with(".csv") || what_.ends_with(".tsv") || what_.ends_with(".csv.gz")) return "csv";
    if (what_.ends_with(".npy") || what_.ends_with(".npz")) return "npy";
    return std::filesystem::is_directory(what_) ? "images" : "";
  }

  bool is_source() const {
    const std::vector<std::string> names = names_of(sources());
    if (std::ranges::find(names, what_) != names.end()) return true;
    if (std::filesystem::exists(what_) || what_.ends_with(".toml")) return false;
    const std::string near = suggestion(what_, names);
    throw UsageError(fmt::format("{} is neither a data source nor a file{}", what_,
                                 near.empty() ? "; `firn data list` shows the sources" : near));
  }

  std::string what_, encoding_, thresholds_, scope_;
  std::size_t examples_ = 3;
  bool all_training_ = false;
  DataRootOption data_root_;
  SetOption sets_;
};

}  // namespace

std::unique_ptr<Command> make_data_show() {
  return std::make_unique<DataShow>();
}

}  // namespace firn::cli
