// A network of one's own: layers are listed, not chosen from a family. Grey images of 20 x 24 pixels.
#include <firn/firn.h>

#include <cstdio>
#include <random>

constexpr const char* kConfig = R"(
name = "own-layers"
[encode]
encoding = "uniform"
thresholds = 3
[[model.layer]]
kind = "tree-conv"
filters = 12
depth = 2
window = 3
pool = 2
channels = "one"
[[model.layer]]
kind = "dense"
outputs = 800
[[model.layer]]
kind = "dense"
outputs = 400
[train]
steps = 300
eval_every = 100
batch = 64
)";

int main() {
  // A bright bar, lying or standing.
  std::mt19937 random(2);
  const std::size_t count = 1500, size = 20 * 24;
  std::vector<std::uint8_t> images(count * size);
  std::vector<std::int64_t> labels(count);
  for (std::size_t s = 0; s < count; ++s) {
    labels[s] = static_cast<std::int64_t>(random() % 2);
    const std::size_t where = random() % 20;
    for (std::size_t y = 0; y < 20; ++y)
      for (std::size_t x = 0; x < 24; ++x)
        images[s * size + y * 24 + x] =
            static_cast<std::uint8_t>(random() % 100 + ((labels[s] == 1 ? x : y) == where ? 120 : 0));
  }
  const firn::Dataset data = firn::Dataset::view(images, labels, {1, 20, 24}).with_class_names({"lying", "standing"});
  const firn::Network network = firn::train(firn::Config::from_toml(kConfig), data);
  const firn::Evaluation seen = network.evaluate(images, labels);
  std::printf("%zu neurons, %.1f %% discrete\n", network.neurons(), 100 * seen.discrete.accuracy);
  return seen.discrete.accuracy > 0.8 ? 0 : 1;
}
