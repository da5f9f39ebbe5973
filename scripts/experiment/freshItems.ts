import { generateSplits, renderItems, type DataPlan } from "../../examples/gym/src/data.ts";

/** The splits of every domain of the experiment. */
export type SplitName = "train" | "selection" | "audit" | "shifted";

/** Items that a policy is measured on in the end, as files have them. */
export interface SealedItems {
  readonly audit: string;
  readonly shifted: string;
}

/** The usual draw begins at 0 and uses few thousand seeds. */
const firstSeed = 1_000_000;

/**
 * As many audit and shifted items as the usual draw has, made by the same generator with the same settings, of other seeds: none
 * has the content of any item of the usual draw, nor of another one of these. They are always the same.
 */
export function freshItems<I, Setting>(plan: DataPlan<I, SplitName, Setting>): SealedItems {
  const { generate, contentOf, splits } = plan;
  const seen = new Set([...generateSplits(plan).values()].flat().map(contentOf));
  let seed = firstSeed;
  const draw = (split: keyof SealedItems): string => {
    const { count, setting } = splits[split];
    const items: I[] = [];
    while (items.length < count) {
      const id = `${split}-fresh-${String(items.length + 1).padStart(3, "0")}`;
      const item = generate(seed++, id, setting);
      const content = contentOf(item);
      if (seen.has(content)) continue;
      seen.add(content);
      items.push(item);
    }
    return renderItems(items);
  };
  return { audit: draw("audit"), shifted: draw("shifted") };
}
