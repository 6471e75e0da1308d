#include "firn/cli/commands/bench_train.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "firn/base/error.h"
#include "firn/base/progress.h"
#include "firn/base/table.h"
#include "firn/cli/commands/set_option.h"
#include "firn/cli/commands/threads_option.h"
#include "firn/cli/on_ranks.h"
#include "firn/cli/usage_error.h"
#include "firn/study/config_text.h"
#include "firn/study/memory_needs.h"
#include "firn/study/preset.h"
#include "firn/study/session.h"
#include "firn/study/settle.h"
#include "firn/train/benchmark.h"

namespace firn::cli {
namespace {

constexpr double kLeastFmaPerCycle = 1.6;  // of a core that nobody else uses

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

class BenchTrain final : public Command {
 public:
  void add_options(Options& options) override {
    options.add("--model", model_, "A preset of configs/ by name, or a configuration file")
        .required()
        .type_name("NAME");
    sets_.add_to(options);
    options.add("--batch", batch_, "Examples per step; else as configured").between(1, 65536).type_name("N");
    options
        .add("--frozen", frozen_,
             "What is frozen: none, conv (all convolutions), or a fraction of all neurons at random, such as 0.5")
        .type_name("NAME");
    options.add("--widths", widths_, "Measure these widths instead of the configured one, such as 8,16,32")
        .separated_by(',')
        .type_name("LIST");
    options.add("--steps", steps_, "Steps to measure").between(1, 100000).type_name("N");
    options.add_flag("--json", json_, "Print the figures as JSON");
    threads_.add_to(options);
    rank_timeout_.add_to(options);
  }

  int run() override {
    return run_on_ranks(rank_timeout_.seconds(), [&](Ranks& ranks) { return run(ranks); });
  }

 private:
  // Rank 0 reports what it has measured.
  int run(Ranks& ranks) {
    frozen_fraction();  // refuses what it does not know before anything else takes time
    Config config = load_named_config(model_, sets_.overrides());
    if (known_sample_shape(config.data)) config = settle(std::move(config), "");
    if (batch_ != 0) config.train.batch = batch_;
    Threads threads(threads_.count());
    if (!widths_.empty() && !ranks.is_alone()) throw UsageError("--widths is for a single process");
    if (widths_.empty()) {
      const StepBenchmark result = benchmark_step(settings(config, threads), threads, ranks);
      if (!ranks.is_first()) return kDone;
      json_ ? fmt::print("{}\n", to_json(config, result, threads.count(), ranks.size()).dump(2))
            : print(config, result, threads.count(), ranks.size());
      return kDone;
    }
    return json_ ? print_widths_json(config, threads) : print_widths(config, threads);
  }

  int print_widths(Config& config, Threads& threads) const {
    TextTable table({{"width", TextTable::Align::kRight},
                     {"logits", TextTable::Align::kRight},
                     {"ms per step", TextTable::Align::kRight},
                     {"ms / width", TextTable::Align::kRight},
                     {"step / bound", TextTable::Align::kRight}});
    for (std::size_t width : widths_) {
      const StepBenchmark r = benchmark_width(config, width, threads);
      table.add({std::to_string(width), format_count(r.logits), fmt::format("{:.2f}", r.step_ms),
                 fmt::format("{:.3f}", r.step_ms / static_cast<double>(width)),
                 fmt::format("{:.2f}", r.step_over_bound())});
    }
    fmt::print("{}", table.str());
    return kDone;
  }

  int print_widths_json(Config& config, Threads& threads) const {
    nlohmann::json list = nlohmann::json::array();
    for (std::size_t width : widths_) {
      nlohmann::json object = to_json(config, benchmark_width(config, width, threads), threads.count(), 1);
      object["width"] = width;
      list.push_back(object);
    }
    fmt::print("{}\n", list.dump(2));
    return kDone;
  }

  StepBenchmark benchmark_width(Config& config, std::size_t width, Threads& threads) const {
    config.model.width = width;
    config.model.tau = 0;
    return benchmark_step(settings(config, threads), threads);
  }

  StepBenchmarkSettings settings(const Config& config, const Threads& threads) const {
    check_settings(config.model);
    check_memory(config, image_shape(config.data), threads.count());
    StepBenchmarkSettings s;
    s.encode = config.encode;
    s.model = config.model;
    s.optimizer = config.train.optimizer;
    s.image = image_shape(config.data);
    s.augment = config.data.augment;
    s.batch = config.train.batch;
    s.shard = config.train.shard;
    s.freeze_convolutions = frozen_ == "conv";
    s.frozen = frozen_fraction();
    s.steps = steps_;
    return s;
  }

  double frozen_fraction() const {
    if (frozen_ == "none" || frozen_ == "conv") return 0;
    double fraction = 0;
    const char* end = frozen_.data() + frozen_.size();
    if (const auto [stop, error] = std::from_chars(frozen_.data(), end, fraction);
        error != std::errc() || stop != end || !(fraction >= 0 && fraction <= 1))
      throw UsageError(fmt::format("--frozen {} is not none, conv or a fraction from 0 to 1, such as 0.5", frozen_));
    return fraction;
  }

  std::string frozen_words() const {
    if (frozen_ == "conv") return "convolutions frozen";
    return frozen_fraction() == 0 ? "nothing frozen"
                                  : fmt::format("{:g} % of all neurons frozen", 100 * frozen_fraction());
  }

  static Shape image_shape(const DataSettings& data) {
    if (const std::optional<Shape> shape = known_sample_shape(data)) return *shape;
    throw Error(fmt::format("steps are measured on made-up images, not on \"{}\" data; choose a preset of images",
                            data.source));
  }

  void print(const Config& config, const StepBenchmark& r, int threads, int ranks) const {
    fmt::print("{}: {} logits, batch {}, shards of {}, {}{} thread{}, {}\n\n", model_, format_count(r.logits),
               config.train.batch, config.train.shard, ranks == 1 ? "" : fmt::format("{} ranks of ", ranks), threads,
               threads == 1 ? "" : "s", frozen_words());
    fmt::print("step       {:8.2f} ms   (middle half {:.2f} to {:.2f})\n", r.step_ms, r.step_low_ms, r.step_high_ms);
    fmt::print("  encode   {:8.2f} ms\n  forward  {:8.2f} ms\n  backward {:8.2f} ms\n  update   {:8.2f} ms\n\n",
               r.encode_ms, r.forward_ms, r.backward_ms, r.update_ms);
    if (ranks > 1)
      fmt::print(
          "ranks      {:.3f} MB sent per step by rank 0, in {} messages; of the update, {:.2f} ms until sums were "
          "here\n",
          1e-6 * static_cast<double>(r.bytes_sent), r.messages_sent, r.reduce_ms);
    fmt::print("gates      {} applications forward and {} backward a sample, {:.3f} ns each\n",
               format_count(r.forward_applications), format_count(r.backward_applications), r.gate_ns);
    fmt::print("memory     {:.0f} MB at the peak\n", peak_megabytes());
    fmt::print("machine    {:.2f} FMA of 8 floats per cycle and thread at {:.2f} GHz, {:.0f} GB/s from the cache\n",
               r.fma_per_cycle, r.clock.hertz() / 1e9, r.cache_bytes_per_second / 1e9);
    if (!r.clock.is_plausible())
      fmt::print(
          "           the clock is uncertain: {:.2f} GHz by multiplications, {:.2f} GHz by additions; the bound does "
          "not "
          "depend on it\n",
          r.clock.by_multiplications / 1e9, r.clock.by_additions / 1e9);
    else if (r.fma_per_cycle < kLeastFmaPerCycle)
      fmt::print("           that is little for any CPU; if the machine is busy, the bound below is too high\n");
    fmt::print(
        "bound      {:8.2f} ms of arithmetic: the step takes {:.2f} times that, forward {:.2f} times its own {:.2f} "
        "ms\n",
        r.bound_ms, r.step_over_bound(), r.forward_over_bound(), r.forward_bound_ms);
    if (r.row_bytes > 0)
      fmt::print(
          "           {:8.2f} ms to move {:.1f} GB of rows through the cache: the step takes {:.2f} times that\n",
          r.row_bound_ms, static_cast<double>(r.row_bytes) / 1e9, r.step_ms / r.row_bound_ms);
  }

  static nlohmann::json to_json(const Config& config, const StepBenchmark& r, int threads, int ranks) {
    return {{"step_ms", r.step_ms},
            {"step_low_ms", r.step_low_ms},
            {"step_high_ms", r.step_high_ms},
            {"encode_ms", r.encode_ms},
            {"forward_ms", r.forward_ms},
            {"backward_ms", r.backward_ms},
            {"update_ms", r.update_ms},
            {"reduce_ms", r.reduce_ms},
            {"batch", config.train.batch},
            {"shard", config.train.shard},
            {"threads", threads},
            {"ranks", ranks},
            {"bytes_sent", r.bytes_sent},
            {"messages_sent", r.messages_sent},
            {"logits", r.logits},
            {"ns_per_application", r.gate_ns},
            {"peak_mb", peak_megabytes()},
            {"fma_per_second", r.fma_per_second},
            {"fma_per_cycle", r.fma_per_cycle},
            {"clock_by_multiplications_ghz", r.clock.by_multiplications / 1e9},
            {"clock_by_additions_ghz", r.clock.by_additions / 1e9},
            {"clock_is_plausible", r.clock.is_plausible()},
            {"bound_ms", r.bound_ms},
            {"forward_bound_ms", r.forward_bound_ms},
            {"row_bound_ms", r.row_bound_ms},
            {"step_over_bound", r.step_over_bound()},
            {"forward_over_bound", r.forward_over_bound()}};
  }

  std::string model_, frozen_ = "none";
  std::size_t batch_ = 0, steps_ = 30;
  std::vector<std::size_t> widths_;
  bool json_ = false;
  SetOption sets_;
  ThreadsOption threads_;
  RankTimeoutOption rank_timeout_;
};

}  // namespace

std::unique_ptr<Command> make_bench_train() {
  return std::make_unique<BenchTrain>();
}

}  // namespace firn::cli
