import { dirname } from "node:path";
import { Refusal, type Entry, type FileAdapter } from "../parts/adapter.ts";
import { checkpointFiles } from "../parts/checkpointFiles.ts";
import { folderOf, metricsOf } from "./metricLines.ts";
import { countAt, isFields, listAt } from "../parts/untrusted.ts";

const isCheckpoint = (folder: string): boolean => /^checkpoint-\d+$/.test(folder);

/** The name that the trainer gives it. */
const ownName = "trainer_state.json";

/** `trainer_state.json` of TRL and transformers: the log history of the run up to a checkpoint. */
export const trainerState: FileAdapter = {
  name: "trl-trainer-state",
  title: "TRL trainer state",
  note: { writer: "TRL and transformers", files: "`*trainer_state*.json`" },
  source: "trl@f2cd5771 trl/trainer/grpo_trainer.py; transformers TrainerState.log_history",
  provides: "metrics",
  unit: "file",
  detect: async (file) =>
    /trainer_state.*\.json$/.test(file.name) && listAt(await file.document(), "log_history") !== undefined,
  runOf: (file) => {
    // Whoever copied those of several runs into one folder gave them names.
    if (file.name !== ownName) return { name: file.name.replace(/\.json$/, ""), path: file.path };
    const place = folderOf(file);
    // Each checkpoint repeats the history of its run: they are one run, and of a step the later file counts.
    return isCheckpoint(place.name) ? { name: file.folders[1] ?? "run", path: dirname(place.path) } : place;
  },
  // The model of the whole run lies above its checkpoints.
  companions: (file) =>
    isCheckpoint(folderOf(file).name)
      ? checkpointFiles.flatMap((name) => [name, `../${name}`])
      : checkpointFiles,
  async *read(file) {
    const history = listAt(await file.document(), "log_history");
    if (history === undefined) throw new Refusal("log_history must be a list");
    yield* history.map((entry, i): Entry => {
      const record = i + 1;
      const step = countAt(entry, "step");
      if (!isFields(entry) || step === undefined)
        return { record, problem: `log_history[${i}].step must be a whole number from 0` };
      return { record, drafts: [metricsOf(step, entry)] };
    });
  },
  absent: {},
  inferred: {},
};
