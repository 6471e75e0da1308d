#include "firn/study/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace firn::study {

namespace {

constexpr double kSlightly = 5;        // percent of choices that make no difference
constexpr double kNoiseMargin = 0.15;  // of the neurons, frozen by more than noise
constexpr double kSameLoss = 5e-5;     // in the digits that are shown

// How much a rank correlation is worth when it serves to predict.
std::string_view strength(double correlation) {
  const double size = std::abs(correlation);
  return size >= 0.7 ? "well" : size >= 0.4 ? "fairly" : size >= 0.2 ? "weakly" : "hardly";
}

// "predict the loss well", "hardly predict the loss".
std::string with_strength(std::string_view verb, std::string_view object, double correlation) {
  const std::string_view how = strength(correlation);
  if (how != "hardly") return fmt::format("{}{} {}", verb, object, how);
  return fmt::format("hardly {}{}", verb, object == " so" ? "" : object);
}

double percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

template <class Summaries>
auto whole_of(const Summaries& summaries) {
  return std::ranges::find_if(summaries, [](const auto& s) { return s.layer == "all"; });
}

// By how much one predictor is better than another, beyond what the intervals leave open.
std::string guide(const Correlation& score, const Correlation& entropy) {
  if (!entropy.value || !score.low || !score.high || !entropy.low || !entropy.high)
    return "There is too little variation in this network to say which of them to trust.";
  const double least = std::min(std::abs(*entropy.low), std::abs(*entropy.high));
  const double most = std::max(std::abs(*entropy.low), std::abs(*entropy.high));
  if (*score.low > most && *score.value >= 0.2)
    return "What follows: a strategy that decides by scores, such as task, knows more here than one that decides by "
           "entropy.";
  if (*score.high < least)
    return "What follows: entropy says more than scores about this checkpoint, so a strategy such as entropy is "
           "worth a try.";
  return "What follows: neither is clearly the better guide here; the intervals overlap.";
}

// `other` is in percent. Where neither slot is better, half of the choices win, give or take a binomial error.
std::string held_out_verdict(double other, std::size_t choices) {
  const double ahead = other - 50, noise = 2 * 50 / std::sqrt(static_cast<double>(choices));
  if (std::abs(ahead) <= noise && noise > kSlightly)
    return fmt::format("With {} choices that is too close to call.", choices);
  if (std::abs(ahead) <= kSlightly)
    return "What follows: on held-out data, choosing by score is about as good as argmax.";
  return ahead > 0 ? "What follows: choosing by score beats argmax also on held-out data."
                   : "What follows: keep the argmax slots; what scores prefer does not hold on other data.";
}

// Two standard errors of the difference of two accuracies, in points. That both are of the same samples makes the true
// error smaller, by how much is not known here.
double noise_of(const LayeredGaps& gaps) {
  const auto variance = [](const Risk& risk) { return risk.accuracy * (1 - risk.accuracy); };
  const double sum = variance(gaps.whole.relaxed) + variance(gaps.whole.discrete);
  return 200 * std::sqrt(sum / static_cast<double>(std::max<std::size_t>(gaps.samples, 1)));
}

// Of a network that predicts values: there is no accuracy.
std::string loss_of_values(double lost) {
  if (std::abs(lost) < kSameLoss) return "The circuit has the loss of the relaxed network.";
  return fmt::format("The loss of the circuit is {:.4f} {} than that of the relaxed network.", std::abs(lost),
                     lost > 0 ? "higher" : "lower");
}

std::string accuracy_and_loss(const LayeredGaps& gaps, bool clear) {
  const Risk lost = gaps.whole.discretization();
  const double points = 100 * lost.accuracy;
  const bool same_loss = std::abs(lost.loss) < kSameLoss, same_accuracy = std::abs(points) < 0.005;
  std::string text = same_accuracy ? "The circuit is as accurate as the relaxed network"
                                   : fmt::format("The circuit {} {:.2f} points of accuracy against the relaxed network",
                                                 points > 0 ? "loses" : "gains", std::abs(points));
  if (!same_accuracy && !clear)
    text += fmt::format(" (too close to call with {} samples: two standard errors are {:.2f} points)", gaps.samples,
                        noise_of(gaps));
  text += same_loss ? ", and its loss is the same."
                    : fmt::format("; its loss is {:.4f} {}.", std::abs(lost.loss), lost.loss > 0 ? "higher" : "lower");
  return text;
}

}  // namespace

std::string explain_effects(const std::vector<EffectSummary>& summaries) {
  const auto all = whole_of(summaries);
  if (all == summaries.end() || !all->argmax.value) return {};
  const std::string entropy =
      all->entropy.value
          ? fmt::format("entropy {} ({:+.2f})", with_strength("does", " so", *all->entropy.value), *all->entropy.value)
          : "entropies are all equal";
  return fmt::format(
      "Each neuron was replaced by one gate while all others stayed as they are. Scores {} ({:+.2f}; the sign is right "
      "for {:.0f} %), {}. For {:.0f} % of the neurons, freezing that neuron alone to its argmax slot would lower the "
      "loss. {}",
      with_strength("predict", " what that does to the loss", *all->argmax.value), *all->argmax.value,
      100 * all->same_sign, entropy, 100 * all->improvable, guide(all->argmax, all->entropy));
}

std::string explain_locality(const Locality& locality) {
  const auto all = whole_of(locality.summaries);
  if (all == locality.summaries.end() || !all->first_rank || !all->first_error || !all->second_error) return {};
  const bool grows = *all->first_rank >= 0.2, helps = *all->second_error < *all->first_error;
  return fmt::format(
      "The further a slot is from the mixture (displacement), the more wrong its score: that {} here (rank "
      "correlation {:+.2f}). {} Second order {} the median error, from {:.2g} to {:.2g}.",
      with_strength("holds", "", *all->first_rank), *all->first_rank,
      grows ? "What follows: trust scores of slots nearby, and less those of distant ones."
            : "What follows: scores of distant slots are about as good, or as bad, as those of slots nearby.",
      helps ? "lowers" : "does not lower", *all->first_error, *all->second_error);
}

std::string explain_held_out(const HeldOut& held_out, std::string_view examples) {
  const auto all = std::ranges::find_if(held_out.rates, [](const WinRate& r) { return r.fraction == 1; });
  if (all == held_out.rates.end() || all->choices == 0)
    return "No neuron has a slot with a lower score than its argmax slot, so there is nothing to choose.";
  const double same = 50 * (all->same[0] + all->same[1]), other = 50 * (all->other[0] + all->other[1]);
  return fmt::format(
      "Where scores prefer another slot than argmax, that slot is better on {:.0f} % of the occasions for the {} that "
      "selected it, and on {:.0f} % for others. {}",
      same, examples, other, held_out_verdict(other, all->choices));
}

std::string explain_gaps(const LayeredGaps& gaps) {
  const Risk lost = gaps.whole.discretization();
  const double points = 100 * lost.accuracy;
  const bool values = gaps.whole.relaxed.r2.has_value();
  const auto worst = std::ranges::max_element(gaps.layers, {}, [](const LayerGap& l) { return l.discrete.loss; });
  std::size_t neurons = 0, idle = 0;
  for (const LayerGap& layer : gaps.layers) {
    neurons += layer.neurons;
    idle += layer.constants + layer.wires;
  }
  const bool clear = values || std::abs(points) > noise_of(gaps);
  std::string text = values ? loss_of_values(lost.loss) : accuracy_and_loss(gaps, clear);
  const double own = worst == gaps.layers.end() ? 0 : worst->discrete.loss - gaps.whole.relaxed.loss;
  if (clear && own > kSameLoss && gaps.layers.size() > 1)
    text += fmt::format(" Made discrete alone, {} costs most (loss {:+.4f}).", worst->layer, own);
  if (clear && points > 1)
    text += " What follows: train longer, freeze earlier (freeze.strategy), or refine the circuit.";
  return text + fmt::format(" {:.0f} % of the gates are constants or pass one operand on; compiling removes them.",
                            percent(idle, neurons));
}

std::string explain_flips(const DiscreteDiagnosis& discrete, std::string_view examples) {
  const auto all = whole_of(discrete.summaries);
  if (all == discrete.summaries.end() || all->flips == 0) return {};
  const std::size_t with_effect = all->flips - all->without_effect;
  const double share = percent(all->significant.flips, with_effect);
  std::string text = fmt::format(
      "One bit of one truth table was changed at a time. Of {} changes that matter to the fitting {}, {:.1f} % lower "
      "the loss by more than two standard errors, where about 2.3 % would by chance.",
      with_effect, examples, share);
  if (share <= 2.3)
    return text + " What follows: the circuit is close to a local optimum; single changes have little to offer.";
  text += fmt::format(" {:.0f} % of those lower it on held-out {} too.",
                      percent(all->significant.also_held_out, all->significant.flips), examples);
  return text + " What follows: argmax is not a local optimum; refinement looks for changes that can be made together.";
}

std::string explain_shocks(const ShockDiagnosis& shocks) {
  const auto all = whole_of(shocks.summaries);
  if (all == shocks.summaries.end() || !all->ratio[1]) return {};
  const bool averages = shocks.rule.score == "every-step";
  const double measured = (averages ? all->frozen.every_step : all->frozen.measured).mean.front();
  const double noise = all->frozen.centred.mean.front();
  std::string text = fmt::format(
      "For the median neuron, the mean score is {:+.2f} times its deviation over batches. At the first opportunity the "
      "rule would freeze {:.0f} % of these neurons; on noise alone, a rule that sees single batches would freeze "
      "{:.0f} %.",
      *all->ratio[1], 100 * measured, 100 * noise);
  if (averages) return text;
  if (std::abs(measured - noise) < kNoiseMargin)
    return text +
           " What follows: at first, task decides little better than a coin toss here; freeze.task.score = "
           "\"every-step\" averages the batches of an interval.";
  return text + " What follows: the rule decides by more than noise.";
}

std::string explain_check(const std::vector<CheckedLayer>& checked) {
  if (checked.empty()) return {};
  const auto worst = std::ranges::max_element(checked, {}, &CheckedLayer::worst_error);
  return fmt::format(
      "Effects were computed twice, quickly and by whole passes in extended precision; they differ by at most {:.1e} "
      "of their size.",
      worst->worst_error);
}

}  // namespace firn::study
