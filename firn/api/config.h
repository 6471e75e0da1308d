// A configuration: what is trained, on what, and how. The same keys as in configuration files.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace firn::study {
struct Config;
}

namespace firn::api {

// How a file is read when a configuration for it is suggested.
struct SuggestOptions {
  std::string label = {};        // the label column of a table; empty: the last of a CSV file
  std::string test_data = {};    // a test set of the same kind
  std::string layout = "auto";   // of arrays of images: "nchw" or "nhwc"
  std::string data_folder = {};  // where files are looked for that are not there as named
};

class Config {
 public:
  Config();  // every key at its default

  // The presets that Firn brings, such as "treelogicnet-xs"; preset_names() lists them.
  static Config preset(std::string_view name);
  static std::vector<std::string> preset_names();
  // TOML text, or a file of it. An Error says line, column and what is wrong, with a guess at what was meant.
  static Config from_toml(std::string_view text);
  static Config load(const std::string& file);
  // The file of that name or, where there is none, the preset. A configuration without a name is called like its file,
  // as by the command line, so that both write the same checkpoints.
  static Config named(const std::string& file_or_preset);

  // A configuration that suits a CSV file, another table, .npy, .npz or a folder of PNG images, which is read for it.
  static Config suggest(const std::string& data, const SuggestOptions& options = {});
  // The same as TOML, every choice with its reason.
  static std::string suggest_toml(const std::string& data, const SuggestOptions& options = {});

  // The value as TOML writes it, such as "5000" or "[1, 2]"; a string needs no quotes.
  Config& set(std::string_view key, std::string_view value);
  // Several at once: only the whole must make sense.
  Config& set(std::span<const std::pair<std::string, std::string>> values);
  std::string get(std::string_view key) const;  // "auto" where the data decide

  // The whole configuration, documented; from_toml() gives back an equal one.
  std::string to_toml() const;

  // For the modules behind the front door.
  explicit Config(study::Config config);
  const study::Config& inner() const { return *inner_; }

 private:
  std::shared_ptr<const study::Config> inner_;
};

}  // namespace firn::api
