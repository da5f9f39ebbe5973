import { HarnessError } from "../base/errors.ts";
import { itemOutcomes } from "../diagnosis/outcomes.ts";
import { points } from "../gates/decide.ts";
import { comparePaired } from "../statistics/compare.ts";
import { chooseVersion, inspect } from "./inspect.ts";
import { printResult, type Io } from "./io.ts";
import { table } from "./table.ts";

/** `evotrainer compare <a> <b>`: paired comparison of b with a on the selection split, with the items that flipped. */
export async function compare(
  io: Io,
  cwd: string,
  options: { a: string; b: string; flips: boolean },
): Promise<void> {
  await inspect(cwd, async ({ spec, store, versions }) => {
    const [a, b] = [chooseVersion(versions, options.a).name, chooseVersion(versions, options.b).name];
    const [before, after] = [
      await itemOutcomes(store, { split: "selection", version: a }),
      await itemOutcomes(store, { split: "selection", version: b }),
    ];
    const result = comparePaired(a, before, after, {
      aggregator: spec.metric.aggregator,
      confidence: 0.95,
    });
    if (result === null)
      throw new HarnessError("notFound", `${a} and ${b} have no item with a known outcome in common.`);
    const other = new Map(after.map((o) => [o.item, o]));
    const flips = before.flatMap((o) => {
      const now = other.get(o.item);
      const change = now === undefined ? 0 : now.pass - o.pass;
      return now === undefined || change === 0
        ? []
        : [{ item: o.item, before: o.pass, after: now.pass, samples: now.pass + now.fail + now.unknown }];
    });
    printResult(io, { version: b, ...result, flips }, () => {
      const verdict = { improved: "improved", regressed: "regressed", inside_noise: "inside the noise" }[
        result.verdict
      ];
      const needed =
        result.itemsNeeded === null
          ? ""
          : ` About ${result.itemsNeeded} items are needed to tell a difference of this size.`;
      const text = `${b} against ${a}: ${points(result.difference)} [${points(result.low)}, ${points(result.high)}], ${verdict}, ${result.items} paired items.${needed}`;
      const list = options.flips
        ? `\n${table([["item", "passes before", "after", "of"], ...flips.map((f) => [f.item, `${f.before}`, `${f.after}`, `${f.samples}`])], [1, 2, 3])}`
        : ` ${flips.length} items changed; --flips lists them.`;
      return text + list;
    });
  });
}
