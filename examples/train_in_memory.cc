// From arrays to predictions: trains on bytes in memory, compiles the network and runs the circuit.
#include <firn/firn.h>

#include <cstdio>
#include <random>

int main(int argc, char** argv) {
  // Sixteen features per sample; class 1 where the first half is brighter than the second.
  std::mt19937 random(1);
  std::vector<std::uint8_t> samples(2000 * 16), labels(2000);
  for (std::size_t s = 0; s < labels.size(); ++s) {
    int difference = 0;
    for (std::size_t f = 0; f < 16; ++f) {
      samples[16 * s + f] = static_cast<std::uint8_t>(random() % 256);
      difference += f < 8 ? samples[16 * s + f] : -samples[16 * s + f];
    }
    labels[s] = difference > 0;
  }
  firn::Config config = firn::Config::from_toml("[model]\nfamily = 'dense'\nwidth = 256\nlayers = 3");
  config.set("encode.encoding", "uniform").set("train.steps", "600").set("train.eval_every", "200");
  const firn::Dataset data = firn::Dataset::view(samples, labels, {16});
  const firn::Network network = firn::train(config, data);
  const firn::Circuit circuit = network.compile();
  const std::vector<std::uint16_t> classes = circuit.predict(samples);
  std::size_t right = 0;
  for (std::size_t s = 0; s < labels.size(); ++s) right += classes[s] == labels[s];
  std::printf("%zu gates, %zu of %zu right\n", circuit.gates(), right, labels.size());
  if (argc > 1) circuit.save(argv[1]);
  return right > 1600 ? 0 : 1;
}
