import { fileBytes } from "../../../reading/bytes.ts";
import { readTensorBoard } from "../../../reading/tensorboard.ts";
import type { Entry, FileAdapter } from "../parts/adapter.ts";
import { folderOf, nullsIn } from "./metricLines.ts";

/** TensorBoard event files: their scalars. Histograms, images and texts are no metrics and are left out. */
export const tensorBoard: FileAdapter = {
  name: "tensorboard",
  title: "TensorBoard event file",
  note: { writer: "anyone: scalars", files: "`events.out.tfevents.*`" },
  source: "tensorflow/core/util/event.proto; TFRecord framing",
  provides: "metrics",
  unit: "file",
  detect: (file) => /\.tfevents\./.test(file.name),
  // A run that was started again writes another file into the same folder.
  runOf: (file) => folderOf(file),
  async *read(file) {
    let record = 0;
    let open: { step: number; values: Record<string, number | null> } | undefined;
    const closed = (): Entry[] =>
      open === undefined
        ? []
        : [{ record: ++record, drafts: [{ type: "metrics", ...open }], nonFinite: nullsIn(open.values) }];
    for await (const item of readTensorBoard(fileBytes(file.path), { name: file.name })) {
      if (item.type === "problem")
        yield { record: ++record, problem: `at byte ${item.offset}: ${item.reason}` };
      else if (item.type === "end") {
        yield* closed();
        if (item.torn) yield { waiting: file.size - item.offset };
      } else {
        if (open?.step !== item.step) {
          yield* closed();
          open = { step: item.step, values: {} };
        }
        open.values[item.tag] = Number.isFinite(item.value) ? item.value : null;
      }
    }
  },
  absent: {},
  inferred: {},
};
