// Which figures there are and where they stand. A new figure is one file in figures/ and one line here.
import { group } from "d3";
import { shortened } from "./dom.js";
import { frame } from "./frame.js";
import { calibration } from "./figures/calibration.js";
import { configuration } from "./figures/configuration.js";
import { confusion } from "./figures/confusion.js";
import { discrete } from "./figures/discrete.js";
import { drawing } from "./figures/drawing.js";
import { effects } from "./figures/effects.js";
import { film } from "./figures/film.js";
import { freezing } from "./figures/freezing.js";
import { gallery } from "./figures/gallery.js";
import { gaps } from "./figures/gaps.js";
import { gates } from "./figures/gates.js";
import { learning } from "./figures/learning.js";
import { locality } from "./figures/locality.js";
import { overlay } from "./figures/overlay.js";
import { resources } from "./figures/resources.js";
import { runs } from "./figures/runs.js";
import { sensitivity } from "./figures/sensitivity.js";
import { sideBySide } from "./figures/side_by_side.js";
import { spearman } from "./figures/spearman.js";
import { summary } from "./figures/summary.js";
import { tiles } from "./figures/tiles.js";
import { workers } from "./figures/workers.js";
import { formatCount } from "./look.js";

// Each makes a figure, or nothing where its data are missing.
const kOfAllStudies = [summary]; // (studies)
const kOfStudy = [
  learning,
  confusion,
  gallery,
  calibration,
  freezing,
  film,
  sensitivity,
  gates,
  drawing,
  resources,
  runs,
]; // (study)
const kOfDiagnosis = [effects, spearman, locality, gaps, discrete]; // (parts of the diagnosis of one checkpoint, id)
const kFirst = [workers, tiles]; // (report), before everything else
const kOverview = [overlay, sideBySide]; // (report)
const kOfReport = [configuration]; // (report, studies)

// Folders that diagnose the same checkpoint with different parts belong together.
function checkpointsOf(diagnoses) {
  return [
    ...group(diagnoses, (d) => (d.is_average ? d.folder : `${d.checkpoint}\n${d.step.value}\n${d.split}`)).values(),
  ];
}

function titleOf([first]) {
  if (first.is_average) return `Diagnosis ${first.name}, averages`;
  return `Diagnosis at step ${formatCount(first.step.value)} of ${first.checkpoint.split("/").slice(-2, -1)[0] || first.name}`;
}

export function buildSections(report, studies, states) {
  const sections = [];
  const add = (id, title, note, made) => {
    const figures = made.filter((figure) => figure !== null).map((figure) => frame(figure, states));
    if (figures.length > 0) sections.push({ id, title, note, figures });
  };
  if (studies.length > 0)
    add(
      "overview",
      "Overview",
      null,
      [
        ...kFirst.map((make) => make(report)),
        ...kOfAllStudies.map((make) => make(studies)),
        ...kOverview.map((make) => make(report)),
      ],
    );
  for (const study of studies) {
    add(
      study.id,
      study.label,
      null,
      kOfStudy.map((make) => make(study)),
    );
  }
  checkpointsOf(report.diagnoses).forEach((parts, i) => {
    const id = `diagnosis-${i + 1}`;
    const note = parts[0].is_average
      ? `Means over ${shortened(parts[0].folder, 200)}`
      : `Checkpoint ${shortened(parts[0].checkpoint, 300)}`;
    add(
      id,
      titleOf(parts),
      note,
      kOfDiagnosis.map((make) => make(parts, id)),
    );
  });
  if (report.runs.length > 0)
    add(
      "configurations",
      "Configurations",
      null,
      kOfReport.map((make) => make(report, studies)),
    );
  return sections;
}
