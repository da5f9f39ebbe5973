import { writeData, writeWhenStarted, type DataPlan } from "../../../gym/src/data.ts";
import { generateItem, shifted, usual, type Setting } from "./generator.ts";
import type { Item } from "./item.ts";

export const plan = {
  splits: {
    train: { count: 400, setting: usual },
    selection: { count: 120, setting: usual },
    audit: { count: 120, setting: usual },
    shifted: { count: 120, setting: shifted },
  },
  generate: generateItem,
  contentOf: ({ files }) =>
    files
      .map((f) => f.text)
      .sort()
      .join("\n\n"),
} as const satisfies DataPlan<Item, string, Setting>;

/** Writes the files of all splits; the package has this instead of the data, which is larger than all that makes it. */
export const writeSplits = (folder: string): void => writeData(plan, folder);

writeWhenStarted(writeSplits);
