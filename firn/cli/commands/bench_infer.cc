#include "firn/cli/commands/bench_infer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "firn/base/progress.h"
#include "firn/circuit/lower.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/usage_error.h"
#include "firn/infer/benchmark.h"
#include "firn/infer/predictor.h"
#include "firn/study/words.h"

namespace firn::cli {
namespace {

class BenchInfer final : public Command {
 public:
  void add_options(Options& options) override {
    const Option file = options.add("MODEL", file_, "Model file, made by `firn compile`").type_name("");
    options.add("--random", random_, "A random dense network instead, as LAYERSxWIDTH, such as 6x8000")
        .excludes(file)
        .type_name("SIZE");
    options.add("--inputs", inputs_, "Inputs of the random network").between(2, 1 << 20).type_name("N");
    options.add("--block", block_, "Samples per block, instead of 512")
        .one_of({"128", "256", "512", "1024", "2048", "4096"})
        .type_name("N");
    options
        .add("--images", images_,
             "Images or rows of a long call, packed as programs have them, instead of 32 blocks for each thread")
        .between(1, 10'000'000)
        .type_name("N");
    options.add("--seconds", seconds_, "How long to measure").between(0.1, 600.0).type_name("S");
    options.add_flag("--json", json_, "Print the figures as JSON");
    threads_.add_to(options);
  }

  int run() override {
    const CircuitModel model = load();
    const auto machine = make_machine(model);
    Threads threads(threads_.count());
    const InferBenchmark result =
        benchmark_inference(model, *machine, threads, {seconds_, block_ == 0 ? kBlockWords : block_ / 64, images_});
    json_ ? print_json(model, *machine, result, threads.count()) : print(model, *machine, result, threads.count());
    return kDone;
  }

 private:
  CircuitModel load() const {
    if (random_.empty()) {
      if (file_.empty())
        throw UsageError("name a model file, or a random network with --random; see `firn bench infer --help`");
      return read_model(file_);
    }
    unsigned layers = 0, width = 0;
    char rest = 0;
    if (std::sscanf(random_.c_str(), "%4ux%8u%c", &layers, &width, &rest) != 2 || layers == 0 || width < 10 ||
        width % 10 != 0 || std::size_t{layers} * width > 100'000'000)
      throw UsageError(fmt::format(
          "--random {} is not LAYERSxWIDTH, such as 6x8000, with a width that ten classes divide", random_));
    return random_dense_circuit(inputs_, layers, width, /*seed=*/1);
  }

  void print(const CircuitModel& model, const Machine& machine, const InferBenchmark& r, int threads) const {
    const std::string_view many = examples_word(model.encoder.input_shape());
    const std::string_view one = example_word(model.encoder.input_shape());
    fmt::print("{}: {} gates of {} before simplification, {} values in memory, blocks of {} {}\n\n",
               random_.empty() ? file_ : "random " + random_, format_count(machine.gates()),
               format_count(unrolled_gates(model.network)), format_count(r.rows), format_count(r.block_samples), many);
    fmt::print("one core   {:>12} {}/s\n", format_count(static_cast<std::uint64_t>(r.images_per_second)), many);
    fmt::print("{:2} threads {:>12} {}/s, {:.2f} times as fast as one thread on calls of that size\n", threads,
               format_count(static_cast<std::uint64_t>(r.images_per_second_all)), many, r.speedup);
    for (const ShortCall& call : r.short_calls)
      fmt::print("{:<10} {:12.1f} us for a call: encode {:.1f}, gates {:.1f}, counts {:.1f}\n",
                 call.images == 1 ? fmt::format("one {}", one) : fmt::format("{} {}", call.images, many), call.whole_us,
                 call.encode_us, call.gates_us, call.counts_us);
    fmt::print("\n");
    const double total = r.encode_ns + r.gates_ns + r.counts_ns;
    const auto part = [&](const char* name, double ns) {
      fmt::print("{}{:10.1f} ns per {}  {:3.0f} %\n", name, ns, one, 100 * ns / total);
    };
    part("encode and pack ", r.encode_ns);
    part("gates           ", r.gates_ns);
    part("counts          ", r.counts_ns);
    fmt::print("\ngates      {:.0f} G/s evaluated, {:.0f} G/s of the original network\n", r.gates_per_second / 1e9,
               r.original_per_second / 1e9);
    fmt::print("limit      {:.0f} G/s from the L1 cache (256-bit gates, measured in this run)\n",
               256 * r.gate_limit / 1e9);
    fmt::print("ratio      {:.3f} for gates evaluated, {:.3f} for those of the original network\n", r.ratio(),
               r.original_ratio());
  }

  static nlohmann::json short_calls(const InferBenchmark& r) {
    auto list = nlohmann::json::array();
    for (const ShortCall& call : r.short_calls)
      list.push_back({{"images", call.images},
                      {"us", call.whole_us},
                      {"encode_us", call.encode_us},
                      {"gates_us", call.gates_us},
                      {"counts_us", call.counts_us}});
    return list;
  }

  static void print_json(const CircuitModel& model, const Machine& machine, const InferBenchmark& r, int threads) {
    const nlohmann::json object = {{"gates", machine.gates()},
                                   {"original_gates", unrolled_gates(model.network)},
                                   {"rows", r.rows},
                                   {"block_samples", r.block_samples},
                                   {"threads", threads},
                                   {"images_per_second", r.images_per_second},
                                   {"images_per_second_all", r.images_per_second_all},
                                   {"images_per_call", r.images_per_call},
                                   {"fastest_one_thread", r.fastest_one_thread},
                                   {"fastest_all", r.fastest_all},
                                   {"speedup", r.speedup},
                                   {"one_image_us", r.short_calls.front().whole_us},
                                   {"short_calls", short_calls(r)},
                                   {"encode_ns", r.encode_ns},
                                   {"gates_ns", r.gates_ns},
                                   {"counts_ns", r.counts_ns},
                                   {"gates_per_second", r.gates_per_second},
                                   {"original_gates_per_second", r.original_per_second},
                                   {"gate_limit_per_second", 256 * r.gate_limit},
                                   {"ratio", r.ratio()},
                                   {"original_ratio", r.original_ratio()}};
    fmt::print("{}\n", object.dump(2));
  }

  std::string file_, random_;
  std::size_t inputs_ = 784, block_ = 0, images_ = 0;
  double seconds_ = 3;
  bool json_ = false;
  ThreadsOption threads_;
};

}  // namespace

std::unique_ptr<Command> make_bench_infer() {
  return std::make_unique<BenchInfer>();
}

}  // namespace firn::cli
