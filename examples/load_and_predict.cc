// Loads a checkpoint that the command line or a program wrote, and predicts: load_and_predict CHECKPOINT < SAMPLES.
// Samples are bytes, one sample after the other; the classes come out one per line.
#include <firn/firn.h>

#include <cstdio>
#include <iostream>
#include <iterator>

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: load_and_predict CHECKPOINT < SAMPLES\n", stderr), 2;
  try {
    const firn::Network network = firn::Network::load(argv[1]);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(std::cin), {});
    const std::vector<std::uint8_t> samples(bytes.begin(), bytes.end());
    for (const std::uint16_t c : network.predict(samples)) std::printf("%u\n", c);
  } catch (const firn::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
