// Examples in the caller's memory or from a data source.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firn/api/config.h"
#include "firn/api/shape.h"

namespace firn::data {
struct Dataset;
}

namespace firn::api {

// [example][feature], one example after the other without gaps. Byte v stands for v/255; floats are taken as they are.
using Samples = std::variant<std::span<const std::uint8_t>, std::span<const float>>;
// [example]: class numbers from 0 on, or floats, which are values to predict: train.loss is then squared or absolute.
using Labels = std::variant<std::span<const std::uint8_t>, std::span<const std::uint16_t>,
                            std::span<const std::int32_t>, std::span<const std::int64_t>, std::span<const float>>;

class Dataset {
 public:
  // Examples to train on and, if there are any, to test on. Nothing is copied but the labels: the samples must outlive
  // the data set and training on it.
  static Dataset view(Samples samples, Labels labels, Shape shape);
  Dataset with_test(Samples samples, Labels labels) const;
  // Examples to validate on, instead of a part of those to train on. Copies the samples of both.
  Dataset with_validation(Samples samples, Labels labels) const;
  Dataset with_class_names(std::vector<std::string> names) const;
  // One name per feature. Models carry them, and files are then matched by them.
  Dataset with_feature_names(std::vector<std::string> names) const;

  // What data.source of a configuration names; sources look for their files below `folder`.
  static Dataset load(const Config& config, const std::string& folder);

  Shape shape() const;
  std::size_t classes() const;  // 0: values are predicted
  std::size_t train_count() const;
  std::size_t test_count() const;  // 0: there is no test set
  const std::vector<std::string>& class_names() const;
  std::vector<std::string> feature_names() const;  // "age", "colour=red"; empty where features have no names
  bool has_floats() const;                         // else bytes

  // Copies, [example][feature] and [example]: for data that come from a source. The vector of the other kind is empty.
  struct Copy {
    std::vector<std::uint8_t> bytes;
    std::vector<float> floats;
    std::vector<std::uint16_t> labels;
    std::vector<float> targets;  // where values are predicted, instead of labels
  };
  Copy copy_train() const;
  Copy copy_test() const;

  const data::Dataset& inner() const { return *inner_; }
  const std::string& source() const { return source_; }  // the name of the data source; "memory" for views

 private:
  Dataset(std::shared_ptr<const data::Dataset> inner, std::string source)
      : inner_(std::move(inner)), source_(std::move(source)) {}
  std::shared_ptr<const data::Dataset> inner_;
  std::string source_;
};

}  // namespace firn::api
