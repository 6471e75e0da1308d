#include "firn/diagnose/freeze_effects.h"

#include <algorithm>

namespace firn::diagnose {

namespace {

EffectSummary summarize_one(const std::string& layer, const std::vector<const FreezeEffect*>& effects, double risk,
                            const Bootstrap& bootstrap, Threads& threads) {
  const auto column = [&](const auto& value) {
    std::vector<double> values;
    for (const FreezeEffect* e : effects) values.push_back(value(*e));
    return values;
  };
  const auto share = [&](const auto& holds) {
    return static_cast<double>(std::count_if(effects.begin(), effects.end(), [&](auto* e) { return holds(*e); })) /
           static_cast<double>(effects.size());
  };
  using E = const FreezeEffect&;
  const auto realized = column([](E e) { return e.argmax_effect.effect; });
  EffectSummary summary;
  summary.layer = layer;
  summary.neurons = effects.size();
  summary.entropy =
      correlate(column([](E e) { return e.entropy; }), realized, bootstrap, "effects/entropy/" + layer, threads);
  summary.selected =
      correlate(column([](E e) { return e.selected_score; }), column([](E e) { return e.selected_effect.effect; }),
                bootstrap, "effects/selected/" + layer, threads);
  summary.argmax =
      correlate(column([](E e) { return e.argmax_score; }), realized, bootstrap, "effects/argmax/" + layer, threads);
  const auto rounded = column([risk](E e) { return in_single_precision(e.argmax_effect.effect, risk); });
  summary.entropy_in_single = spearman(column([](E e) { return e.entropy; }), rounded);
  summary.selected_in_single =
      spearman(column([](E e) { return e.selected_score; }),
               column([risk](E e) { return in_single_precision(e.selected_effect.effect, risk); }));
  summary.argmax_in_single = spearman(column([](E e) { return e.argmax_score; }), rounded);
  summary.argmax_displacement = median(column([](E e) { return e.argmax_effect.displacement; }));
  summary.selected_displacement = median(column([](E e) { return e.selected_effect.displacement; }));
  summary.disagree = share([](E e) { return e.argmax != e.selected; });
  summary.same_sign = share([](E e) { return (e.argmax_score < 0) == (e.argmax_effect.effect < 0); });
  summary.improvable = share([](E e) { return e.argmax_effect.effect < 0; });
  return summary;
}

}  // namespace

std::vector<EffectSummary> summarize(const Mixtures& mixtures, const std::vector<FreezeEffect>& effects, double risk,
                                     const Bootstrap& bootstrap, Threads& threads) {
  std::vector<EffectSummary> summaries;
  std::vector<const FreezeEffect*> all;
  for (const Mixtures::Group& group : mixtures.groups()) {
    std::vector<const FreezeEffect*> own;
    for (const FreezeEffect& e : effects)
      if (group.contains(e.neuron)) own.push_back(&e);
    if (!own.empty()) summaries.push_back(summarize_one(group.name, own, risk, bootstrap, threads));
    all.insert(all.end(), own.begin(), own.end());
  }
  if (!all.empty()) summaries.push_back(summarize_one("all", all, risk, bootstrap, threads));
  return summaries;
}

}  // namespace firn::diagnose
