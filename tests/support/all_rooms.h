// Lets tests and benchmarks in namespace firn name what any module has. The build includes it first.
#pragma once

#include "firn/base/rooms.h"

namespace firn {
using namespace logic;
using namespace kernels;
using namespace data;
using namespace encode;
using namespace network;
using namespace model;
using namespace training;
using namespace discretize;
using namespace diagnose;
using namespace refine;
using namespace theory;
using namespace circuit;
using namespace prove;
using namespace infer;
using namespace exchange;
using namespace synth;
using namespace study;
using namespace report;
using namespace cli;
}  // namespace firn
