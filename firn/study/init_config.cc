#include "firn/study/init_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "firn/base/error.h"
#include "firn/data/files.h"
#include "firn/data/source.h"
#include "firn/data/split.h"
#include "firn/study/config_text.h"
#include "firn/study/layer_list.h"
#include "firn/study/suggest.h"
#include "firn/study/words.h"

namespace firn::study {
namespace {

namespace fs = std::filesystem;

std::string source_of(const fs::path& path) {
  if (fs::is_directory(path)) return "images";
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  if (extension == ".npy" || extension == ".npz") return "npy";
  if (extension == ".csv" || extension == ".tsv") return "csv";
  if (extension == ".png") throw Error(fmt::format("{} is one image; name the folder of all of them", path.string()));
  return "table";
}

// A folder that only holds the folders train and test is a common way to keep images.
void divide_folder(DataSettings& settings, const fs::path& path) {
  if (settings.source != "images" || !fs::is_directory(path / "train") || !fs::is_directory(path / "test")) return;
  settings.test_file = (fs::path(settings.file) / "test").string();
  settings.file = (fs::path(settings.file) / "train").string();
}

std::string describe_data(const Dataset& data) {
  const Shape& shape = data.shape;
  const std::string sample = is_table(shape) ? fmt::format("rows of {} features", shape.channels)
                                             : fmt::format("images of {} x {} pixels in {} channel{}", shape.height,
                                                           shape.width, shape.channels, shape.channels == 1 ? "" : "s");
  return fmt::format("{} {}, {} classes{}", data.train.count(), sample, data.classes,
                     data.test.count() == 0 ? "" : fmt::format("; {} to test on", data.test.count()));
}

class Writer {
 public:
  void comment(const std::string& text) { out_ += fmt::format("# {}\n", text); }
  void section(const std::string& name) { out_ += fmt::format("\n[{}]\n", name); }
  void key(std::string_view key, const Value& value, const std::string& reason = "") {
    out_ += fmt::format("{} = {}{}\n", key, to_toml(value), reason.empty() ? "" : "  # " + reason);
  }
  void append(const std::string& text) { out_ += text; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void write_data(Writer& out, const DataSettings& settings, const Dataset& data, const Split& split) {
  out.section("data");
  out.key("source", settings.source);
  out.key("file", settings.file);
  if (!settings.test_file.empty()) out.key("test_file", settings.test_file);
  if (!settings.label_column.empty()) out.key("label_column", settings.label_column);
  if (settings.layout != "auto") out.key("layout", settings.layout);
  out.key("validation", static_cast<std::int64_t>(split.validation.size()), "held out to watch training by");
  out.key("split", settings.split, "every class has its share of them");
  if (data.test.count() == 0)
    out.comment("test_file = \"...\"  there is no test set yet; the run will then end with its accuracy on it");
}

std::string section_of(const std::string& key) {
  return key.substr(0, key.find('.'));
}

void write_suggestions(Writer& out, const Suggestions& suggestions) {
  std::string section;
  const auto finish = [&] {
    if (section == "model" && !suggestions.layers.empty()) out.append(to_toml(suggestions.layers));
  };
  for (const Suggestion& s : suggestions.keys) {
    if (section_of(s.key) != section) {
      finish();
      section = section_of(s.key);
      out.section(section);
    }
    out.key(std::string_view(s.key).substr(section.size() + 1), s.value, s.reason);
  }
  finish();
}

}  // namespace

DataSettings data_settings_for(const InitParams& params) {
  if (params.data.empty()) throw Error("there is no data to look at; name a CSV file, an array or a folder of images");
  const fs::path path = find_input(params.data, params.data_root);
  DataSettings settings;
  settings.source = source_of(path);
  settings.file = params.data;
  settings.test_file = params.test_data;
  settings.label_column = params.label;
  settings.layout = params.layout;
  settings.split = automatic_split(settings.source);
  const bool has_columns = settings.source == "csv" || settings.source == "table";
  if (!params.label.empty() && !has_columns)
    throw Error(fmt::format("{} has no columns, so \"{}\" cannot name the label", params.data, params.label));
  if (params.test_data.empty()) divide_folder(settings, path);
  return settings;
}

std::string init_config(const InitParams& params) {
  DataSettings settings = data_settings_for(params);
  settings.root = params.data_root;
  const Dataset data = load_dataset(settings);
  const Split split = split_train(data, settings);
  Writer out;
  out.comment(fmt::format("{}: {}", data.name, describe_data(data)));
  out.comment("Train with: firn train THIS-FILE. `firn config keys` explains every key.");
  out.key("name", data.name);
  write_data(out, settings, data, split);
  write_suggestions(out, suggest(data, {.examples = split.train.size()}));
  std::string text = out.take();
  parse_config(text, "the suggested configuration");  // whatever is wrong should be known now
  return text;
}

}  // namespace firn::study
