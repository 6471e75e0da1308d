#include "firn/cli/sections.h"

namespace firn {

void describe(KeyTable& table, DataSettings& settings) {
  table.section("data", "Where examples come from and how they are divided.");
  table.add("data.source", settings.source, "The data source.",
            one_of({"cifar10", "mnist", "fashion-mnist", "csv", "table", "npy", "parity", "majority", "teacher"}));
  table.add("data.file", settings.file, "Training file of the sources that read a file of yours.");
  table.add("data.test_file", settings.test_file, "Test file to go with it; empty if there is none.");
  table.add("data.label_column", settings.label_column,
            "Name or number of the column that holds the label; empty for the source's own rule.");
  table.add("data.split_seed", settings.split_seed, "Seed of the choice of validation examples.");
  table.add("data.validation", settings.validation, "Training examples held out for validation; 0 holds out a tenth.");
  table.add("data.crop", settings.crop, "Side of the square cut out of the middle of each image; 0 keeps all of it.");
  table.add("data.augment", settings.augment, "Random changes of training images.",
            one_of({"none", "flip-crop", "rotate-shift"}));

  SyntheticSettings& synthetic = settings.synthetic;
  table.section("data.synthetic", "Generated tasks: parity, majority and teacher.");
  table.add("data.synthetic.inputs", synthetic.inputs, "Binary features of each example.", at_least(1));
  table.add("data.synthetic.examples", synthetic.examples, "Training examples to generate.", at_least(1));
  table.add("data.synthetic.gates", synthetic.gates, "Gates of the teacher circuit.", at_least(1));
  table.add("data.synthetic.noise", synthetic.noise, "Probability that a label is replaced by a wrong one.",
            between(0, 1));
  table.add("data.synthetic.seed", synthetic.seed, "Seed of the task and its examples.");
}

}  // namespace firn
