import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { generateItem } from "./generator.ts";
import type { Item } from "./item.ts";

/** Items per split of the template. */
export const splitSizes = { train: 400, selection: 120, audit: 120 } as const;

/** What makes two items the same task, whatever they are called. */
export function contentOf(item: Item): string {
  return item.files
    .map((f) => f.text)
    .sort()
    .join("\n\n");
}

/** The items of all splits, all different in content. */
export function generateSplits(): Record<keyof typeof splitSizes, Item[]> {
  const seen = new Set<string>();
  let seed = 0;
  const draw = (split: keyof typeof splitSizes): Item[] => {
    const items: Item[] = [];
    while (items.length < splitSizes[split]) {
      const item = generateItem(seed++, `${split}-${String(items.length + 1).padStart(3, "0")}`);
      const content = contentOf(item);
      if (seen.has(content)) continue;
      seen.add(content);
      items.push(item);
    }
    return items;
  };
  return { train: draw("train"), selection: draw("selection"), audit: draw("audit") };
}

export function renderItems(items: readonly Item[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join("");
}

/** Writes the files of all splits; the package has this instead of the data, which is larger than all that makes it. */
export function writeSplits(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [split, items] of Object.entries(generateSplits()))
    writeFileSync(path.join(folder, `${split}.jsonl`), renderItems(items));
}

const folder = process.argv[2];
if (folder !== undefined && process.argv[1]?.endsWith("generateData.ts") === true) writeSplits(folder);
