// Shows progress and stops early: the run folder keeps everything, and training can be resumed from it.
#include <firn/firn.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: progress_and_cancel FOLDER\n", stderr), 2;
  firn::Config config = firn::Config::from_toml("[data]\nsource = 'majority'\n[model]\nfamily = 'dense'\nwidth = 90");
  config.set("train.steps", "400").set("train.eval_every", "50").set("encode.encoding", "passthrough");
  const firn::Dataset data = firn::Dataset::load(config, "");
  bool enough = false;
  firn::TrainOptions options;
  options.folder = argv[1];
  options.on_eval = [&](const firn::TrainProgress& p) {
    std::printf("step %llu of %llu: %.1f %% discrete\n", static_cast<unsigned long long>(p.step),
                static_cast<unsigned long long>(p.steps), 100 * p.discrete.accuracy);
    enough = p.step >= 100;
  };
  options.cancelled = [&] { return enough; };
  const firn::Network half = firn::train(config, data, options);
  options.cancelled = {};
  options.resume = true;
  const firn::Network whole = firn::train(config, data, options);
  std::printf("cancelled after step %llu, resumed to %llu\n", static_cast<unsigned long long>(half.step()),
              static_cast<unsigned long long>(whole.step()));
  return half.step() == 100 && whole.step() == 400 ? 0 : 1;
}
