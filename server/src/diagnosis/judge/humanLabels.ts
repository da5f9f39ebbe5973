import { join } from "node:path";
import { z } from "zod";
import { Name } from "../../../../shared/spec/common.ts";
import { addJsonLine, readJsonLines } from "../../base/jsonLines.ts";

/** What a person said of a rollout; a later line about the same rollout and label stands in place of an earlier one. */
export const HumanLabel = z.object({
  run: z.string().min(1),
  id: z.string().min(1),
  label: Name,
  labelled: z.boolean(),
  by: z.string().min(1),
  note: z.string().min(1).exactOptional(),
  at: z.iso.datetime(),
});
export type HumanLabel = z.infer<typeof HumanLabel>;

/** The file in the engine's folder that they stand in. */
export const humanLabelsPath = (engineFolder: string): string => join(engineFolder, "human-labels.jsonl");

/** Adds a line; nothing is ever changed or removed. */
export async function addHumanLabel(path: string, label: HumanLabel): Promise<void> {
  await addJsonLine(path, label);
}

/** What stands of a label, the latest said first. A line that is none of these is passed over. */
export async function readHumanLabels(path: string, label: string): Promise<HumanLabel[]> {
  return (await allHumanLabels(path)).filter((one) => one.label === label).reverse();
}

/** What stands of one rollout, the latest said last. */
export async function humanLabelsOf(
  path: string,
  { run, id }: { readonly run: string; readonly id: string },
): Promise<HumanLabel[]> {
  return (await allHumanLabels(path)).filter((one) => one.run === run && one.id === id);
}

/** What stands of every rollout and label, the latest said last. A line that is none of these is passed over. */
export async function allHumanLabels(path: string): Promise<HumanLabel[]> {
  const found = new Map<string, HumanLabel>();
  for (const line of await readJsonLines(path)) {
    const parsed = HumanLabel.safeParse(line).data;
    if (parsed === undefined) continue;
    const key = JSON.stringify([parsed.run, parsed.id, parsed.label]);
    found.delete(key);
    found.set(key, parsed);
  }
  return [...found.values()];
}
