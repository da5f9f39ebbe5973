import { writeData, writeWhenStarted, type DataPlan } from "../../../gym/src/data.ts";
import { generateItem } from "./generator.ts";
import type { Item } from "./item.ts";

export const plan = {
  splits: {
    train: { count: 400, setting: null },
    selection: { count: 120, setting: null },
    audit: { count: 120, setting: null },
  },
  generate: generateItem,
  contentOf: ({ files }) =>
    files
      .map((f) => f.text)
      .sort()
      .join("\n\n"),
} as const satisfies DataPlan<Item, string, null>;

/** Writes the files of all splits; the package has this instead of the data, which is larger than all that makes it. */
export const writeSplits = (folder: string): void => writeData(plan, folder);

writeWhenStarted(writeSplits);
