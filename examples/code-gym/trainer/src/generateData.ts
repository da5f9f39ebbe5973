import { writeData, writeWhenStarted, type DataPlan } from "../../../gym/src/data.ts";
import { generateItem, shifted, usual, type Setting } from "./generator.ts";
import type { Item } from "./item.ts";

export const plan = {
  splits: {
    train: { count: 500, setting: usual },
    selection: { count: 120, setting: usual },
    audit: { count: 120, setting: usual },
    shifted: { count: 120, setting: shifted },
  },
  generate: generateItem,
  contentOf: ({ program, visible }) => JSON.stringify([program, visible]),
} as const satisfies DataPlan<Item, string, Setting>;

/** Writes the files of the splits that a project measures. */
export const writeSplits = (folder: string): void => writeData(plan, folder);

writeWhenStarted(writeSplits);
