// Answers of two networks as a page shows them: confusion, calibration, and the examples worth a look.
#pragma once

#include "firn/report/records.h"
#include "firn/train/answers.h"

namespace firn::report {

AnswersRecord answers_record(const Answers& answers);

}  // namespace firn::report
