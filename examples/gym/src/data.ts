import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** How many items a split has, and how they are drawn. */
export interface SplitPlan<Setting> {
  readonly count: number;
  readonly setting: Setting;
}

/** What a domain's data are made with. */
export interface DataPlan<I, Name extends string, Setting> {
  readonly splits: Readonly<Record<Name, SplitPlan<Setting>>>;
  /** The item of a seed. */
  readonly generate: (seed: number, id: string, setting: Setting) => I;
  /** What makes two items the same task, whatever they are called. */
  readonly contentOf: (item: I) => string;
}

/** The items of all splits, all different in content. */
export function generateSplits<I, Name extends string, Setting>({
  splits,
  generate,
  contentOf,
}: DataPlan<I, Name, Setting>): Map<Name, I[]> {
  const seen = new Set<string>();
  const made = new Map<Name, I[]>();
  let seed = 0;
  for (const name in splits) {
    const { count, setting } = splits[name];
    const items: I[] = [];
    while (items.length < count) {
      const item = generate(seed++, `${name}-${String(items.length + 1).padStart(3, "0")}`, setting);
      const content = contentOf(item);
      if (seen.has(content)) continue;
      seen.add(content);
      items.push(item);
    }
    made.set(name, items);
  }
  return made;
}

export const renderItems = (items: readonly unknown[]): string =>
  items.map((item) => `${JSON.stringify(item)}\n`).join("");

/** Writes the files of the splits that a project measures; a shifted one stays out of every checkout. */
export function writeData<I, Name extends string, Setting>(
  plan: DataPlan<I, Name, Setting>,
  folder: string,
): void {
  mkdirSync(folder, { recursive: true });
  for (const [split, items] of generateSplits(plan))
    if (split !== "shifted") writeFileSync(path.join(folder, `${split}.jsonl`), renderItems(items));
}

/** What a program `generateData.ts <folder>` does when it is started, and not when it is loaded. */
export function writeWhenStarted(write: (folder: string) => void): void {
  const [, program, folder] = process.argv;
  if (folder !== undefined && program?.endsWith("generateData.ts") === true) write(folder);
}
