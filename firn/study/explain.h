// What the tables of a diagnosis mean, in sentences that are true for the numbers at hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firn/study/diagnose_checkpoint.h"

namespace firn::study {

// One paragraph each: what was measured, what came out, and what follows. `examples` is "rows" or "images". Empty where
// there is nothing to say.
std::string explain_effects(const std::vector<EffectSummary>& summaries);
std::string explain_locality(const Locality& locality);
std::string explain_held_out(const HeldOut& held_out, std::string_view examples);
std::string explain_gaps(const LayeredGaps& gaps);
std::string explain_flips(const DiscreteDiagnosis& discrete, std::string_view examples);
std::string explain_shocks(const ShockDiagnosis& shocks);
std::string explain_check(const std::vector<CheckedLayer>& checked);

}  // namespace firn::study
