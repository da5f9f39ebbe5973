import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { generateItem, shifted, usual, type Setting } from "./generator.ts";
import type { Item } from "./item.ts";

/** Items per split of the template, and how they are drawn. */
export const splits = {
  train: { count: 600, setting: usual },
  selection: { count: 120, setting: usual },
  audit: { count: 120, setting: usual },
  shifted: { count: 120, setting: shifted },
} as const satisfies Readonly<Record<string, { readonly count: number; readonly setting: Setting }>>;
export type SplitName = keyof typeof splits;

/** What makes two items the same task, whatever they are called. */
export const contentOf = ({ kind, expression, numbers }: Item): string =>
  `${kind} ${expression ?? numbers?.join(" ") ?? ""}`;

/** The items of all splits, all different in content. */
export function generateSplits(): Record<SplitName, Item[]> {
  const seen = new Set<string>();
  let seed = 0;
  const draw = (split: SplitName): Item[] => {
    const { count, setting } = splits[split];
    const items: Item[] = [];
    while (items.length < count) {
      const item = generateItem(seed++, `${split}-${String(items.length + 1).padStart(3, "0")}`, setting);
      const content = contentOf(item);
      if (seen.has(content)) continue;
      seen.add(content);
      items.push(item);
    }
    return items;
  };
  return {
    train: draw("train"),
    selection: draw("selection"),
    audit: draw("audit"),
    shifted: draw("shifted"),
  };
}

export const renderItems = (items: readonly Item[]): string =>
  items.map((item) => `${JSON.stringify(item)}\n`).join("");

/** Writes the files of the splits that a project measures. The shifted one stays out of every checkout. */
export function writeSplits(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const { shifted: _, ...measured } = generateSplits();
  for (const [split, items] of Object.entries(measured))
    writeFileSync(path.join(folder, `${split}.jsonl`), renderItems(items));
}

const folder = process.argv[2];
if (folder !== undefined && process.argv[1]?.endsWith("generateData.ts") === true) writeSplits(folder);
