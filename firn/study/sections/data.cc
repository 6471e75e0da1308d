#include "firn/base/family.h"
#include "firn/data/augment.h"
#include "firn/data/columns.h"
#include "firn/data/source.h"
#include "firn/study/sections.h"

namespace firn::study {

void describe(KeyTable& table, DataSettings& settings) {
  table.section("data", "Where examples come from and how they are divided.");
  table.add("data.source", settings.source, "The data source.", one_of(names_of(sources())));
  table.add(
      "data.file", settings.file,
      "Training file for csv, table and npy, or folder for images: taken as it stands, else below the data root.");
  table.add("data.test_file", settings.test_file, "Test file or folder to go with it; empty if there is none.");
  table.add("data.label_column", settings.label_column,
            "Label column of csv and table: its name, or its number from 0 (negative: from the end); empty for the "
            "source's default.");
  table.add("data.task", settings.task,
            "Whether the label column of csv and table holds classes, or numbers to predict; train.loss must then be "
            "squared or absolute.",
            one_of({"classification", "regression"}));
  table.add("data.columns", settings.columns,
            "What columns of csv and table are, where the rule would not do: \"NAME:numeric\", \"NAME:categorical\", "
            "\"NAME:categorical(A|B)\" or \"NAME:ignore\".");
  table.add("data.missing", settings.missing,
            "Missing values of csv and table: category makes them a category and refuses them among numbers, median "
            "fills the latter with the column's median, refuse refuses them.",
            one_of(missing_policies()));
  table.add("data.unknown", settings.unknown,
            "Categories of csv and table that training did not see: refuse them, or ignore them and set no feature of "
            "the column.",
            one_of({"refuse", "ignore"}));
  table.add("data.header", settings.header,
            "Whether the first row of csv and table holds names; auto looks at a csv and takes a table to have none.",
            one_of({"auto", "present", "absent"}));
  table.add("data.separator", settings.separator,
            "What separates the fields of a csv, if its first line leaves a choice.", one_of({"", ",", ";", "tab"}));
  table.add(
      "data.layout", settings.layout,
      "Order of the axes of npy images: channels before or after the pixels; auto goes by the axis that counts 1 to "
      "4.",
      one_of({"auto", "nchw", "nhwc"}));
  table.add("data.split", settings.split,
            "How validation examples are drawn: uniformly, or of every class its share; auto is stratified for csv, "
            "table, npy and images.",
            one_of({"auto", "uniform", "stratified"}));
  table.add("data.split_seed", settings.split_seed, "Seed of the choice of validation examples.");
  table.add("data.validation", settings.validation, "Training examples held out for validation; 0 holds out a tenth.");
  table.add("data.crop", settings.crop, "Side of the square cut out of the middle of each image; 0 keeps all of it.");
  table.add("data.augment", settings.augment, "Random changes of training images.", one_of(names_of(augmentations())));

  SyntheticSettings& synthetic = settings.synthetic;
  table.section("data.synthetic", "Generated tasks: parity, majority and teacher.");
  table.add("data.synthetic.inputs", synthetic.inputs, "Input bits of each example.", at_least(1));
  table.add("data.synthetic.examples", synthetic.examples, "Training examples; the test set has a fifth as many.",
            at_least(1));
  table.add("data.synthetic.gates", synthetic.gates, "Gates of the teacher circuit.", at_least(1));
  table.add("data.synthetic.noise", synthetic.noise,
            "Fraction of training labels that are flipped; test labels are always right.", between(0, 1));
  table.add("data.synthetic.seed", synthetic.seed, "Seed of the examples, the noise and the teacher.");
}

}  // namespace firn::study
