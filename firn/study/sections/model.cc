#include "firn/base/family.h"
#include "firn/network/kinds/chain.h"
#include "firn/network/kinds/slot_dense.h"
#include "firn/network/tree_leaves.h"
#include "firn/network/wiring.h"
#include "firn/study/sections.h"

namespace firn::study {

void describe(KeyTable& table, ModelSettings& settings) {
  std::vector<std::string> families = {"auto"};
  for (std::string_view name : model_families()) families.emplace_back(name);
  const auto channels = one_of(channel_rules());
  std::vector<std::string> wiring_names = names_of(wirings());
  for (std::string_view name : {kAnchored, kLearned}) wiring_names.emplace_back(name);

  table.section("model", "What is trained.");
  table.add("model.family", settings.family,
            "The model family; \"list\" means the [[model.layer]] sections, \"auto\" lets the data decide.",
            one_of(families));
  table.add("model.width", settings.width, "Width: k of treelogicnet and compact, gates per layer of dense.",
            between(1, kMaxFeatures));
  table.add("model.layers", settings.layers, "Number of layers of dense.", between(1, kMaxLayers));
  table.add("model.head_multiplier", settings.head_multiplier, "Factor on the dense head of treelogicnet.",
            between(1, 1024));
  table.add("model.tree_depth", settings.tree_depth, "Depth of the trees of treelogicnet.", between(1, 4));
  table.add("model.topology", settings.topology,
            "Blocks of treelogicnet: for 32 x 32 or for 28 x 28 images; auto goes by the image.",
            one_of({"auto", "cifar", "mnist"}));
  table.add("model.first_channels", settings.first_channels, "Input channels that a tree of the first block reads.",
            channels);
  table.add("model.channels", settings.channels, "Input channels that a tree of the later blocks reads.", channels);
  table.add("model.wiring", settings.wiring, "How dense layers pair their inputs; learned makes them slot-dense.",
            one_of(wiring_names));
  table.add("model.init", settings.init, "How logits start.", one_of({"residual", "gaussian"}));
  table.add("model.residual", settings.residual,
            "First logit of gate \"a\" under residual; 0 takes 5, or ln 135 where neurons choose their inputs.",
            at_least(0));
  table.add("model.tau", settings.tau, "Temperature of the head; 0 takes 20 sqrt(outputs per class / 1024).",
            at_least(0));
}

}  // namespace firn::study
