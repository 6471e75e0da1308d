// Firn's front door: train on arrays in memory, load, diagnose, discretize, compile, predict, export and prove.
//
//   firn::Config config = firn::Config::preset("treelogicnet-xs");
//   firn::Dataset data = firn::Dataset::view(pixels, labels, {3, 32, 32});
//   firn::Network network = firn::train(config, data);
//   firn::Circuit circuit = network.compile();
//   std::vector<std::uint16_t> classes = circuit.predict(images);
//   circuit.export_to("a.v", firn::Format::kVerilog);
#pragma once

#include "firn/api/check.h"
#include "firn/api/circuit.h"
#include "firn/api/config.h"
#include "firn/api/dataset.h"
#include "firn/api/error.h"
#include "firn/api/history.h"
#include "firn/api/job.h"
#include "firn/api/layers.h"
#include "firn/api/network.h"
#include "firn/api/samples.h"
#include "firn/api/shape.h"
#include "firn/api/study.h"
#include "firn/api/train.h"

namespace firn {
using api::calibrate_delays;
using api::check;
using api::CheckReport;
using api::Circuit;
using api::circuit_from;
using api::ClassQuality;
using api::compare;
using api::Comparison;
using api::Config;
using api::data_folder;
using api::Dataset;
using api::DiscretizeOptions;
using api::DrawOptions;
using api::Evaluation;
using api::ExportOptions;
using api::FeatureThresholds;
using api::FileCheck;
using api::FilePredictions;
using api::FileSamples;
using api::Format;
using api::format_from_name;
using api::format_of_file;
using api::FreezeRecord;
using api::History;
using api::Job;
using api::Labels;
using api::LayerEffects;
using api::layers_of;
using api::LayerScores;
using api::LayerSummary;
using api::LayerView;
using api::NetlistArrays;
using api::NetlistGate;
using api::Network;
using api::network_from;
using api::PlayOptions;
using api::Proof;
using api::Quality;
using api::read_history;
using api::RefineOptions;
using api::Risk;
using api::Samples;
using api::summarize_layers;
using api::sweep;
using api::sweep_status;
using api::SweepOptions;
using api::SweepOutcome;
using api::SweepResult;
using api::SweepStatus;
using api::Synthesis;
using api::SynthesisFigure;
using api::SynthesisOptions;
using api::SynthesizedCircuit;
using api::train;
using api::TrainOptions;
using api::TrainProgress;
using api::ValueQuality;
using api::write_report;
using api::WrittenLayer;
using api::WrittenNetwork;
}  // namespace firn
