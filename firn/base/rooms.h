// Which module sees the names of which: those that scripts/rooms.txt lets it include. Base speaks for all and stands in
// namespace firn itself; every other module has a namespace of its own, and `train` is called training there, because
// firn::train() is the function at the front door.
#pragma once

namespace firn::logic {}

namespace firn::kernels {
using namespace logic;
}  // namespace firn::kernels

namespace firn::data {
using namespace logic;
}  // namespace firn::data

namespace firn::encode {
using namespace kernels;
using namespace data;
}  // namespace firn::encode

namespace firn::network {
using namespace logic;
using namespace kernels;
}  // namespace firn::network

namespace firn::model {
using namespace logic;
using namespace kernels;
using namespace network;
}  // namespace firn::model

namespace firn::training {
using namespace kernels;
using namespace data;
using namespace encode;
using namespace network;
using namespace model;
}  // namespace firn::training

namespace firn::discretize {
using namespace logic;
using namespace kernels;
using namespace network;
using namespace model;
using namespace training;
}  // namespace firn::discretize

namespace firn::diagnose {
using namespace logic;
using namespace kernels;
using namespace data;
using namespace encode;
using namespace network;
using namespace model;
using namespace training;
using namespace discretize;
}  // namespace firn::diagnose

namespace firn::refine {
using namespace logic;
using namespace kernels;
using namespace data;
using namespace encode;
using namespace network;
using namespace model;
using namespace training;
using namespace discretize;
}  // namespace firn::refine

namespace firn::theory {
using namespace logic;
using namespace kernels;
using namespace data;
using namespace network;
using namespace model;
using namespace discretize;
}  // namespace firn::theory

namespace firn::circuit {
using namespace logic;
using namespace encode;
using namespace network;
}  // namespace firn::circuit

namespace firn::prove {
using namespace circuit;
}  // namespace firn::prove

namespace firn::infer {
using namespace kernels;
using namespace data;
using namespace encode;
using namespace network;
using namespace circuit;
}  // namespace firn::infer

namespace firn::exchange {
using namespace network;
using namespace circuit;
}  // namespace firn::exchange

namespace firn::synth {
using namespace circuit;
using namespace exchange;
}  // namespace firn::synth

namespace firn::study {
using namespace logic;
using namespace data;
using namespace encode;
using namespace network;
using namespace model;
using namespace training;
using namespace discretize;
using namespace diagnose;
using namespace refine;
using namespace circuit;
using namespace infer;
using namespace exchange;
using namespace synth;
}  // namespace firn::study

namespace firn::report {
using namespace logic;
using namespace data;
using namespace network;
using namespace training;
using namespace circuit;
}  // namespace firn::report

namespace firn::cli {
using namespace kernels;
using namespace data;
using namespace encode;
using namespace training;
using namespace theory;
using namespace circuit;
using namespace prove;
using namespace infer;
using namespace exchange;
using namespace synth;
using namespace study;
using namespace report;
}  // namespace firn::cli
