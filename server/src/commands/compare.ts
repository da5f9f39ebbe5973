import { points } from "../gates/decide.ts";
import { evidenceVersion, inspect } from "./inspect.ts";
import { printResult, type Io } from "./io.ts";
import { table } from "./table.ts";

/** `evotrainer compare <a> <b>`: paired comparison of b with a on the selection split, with the items that flipped. */
export async function compare(
  io: Io,
  cwd: string,
  options: { a: string; b: string; flips: boolean },
): Promise<void> {
  await inspect(cwd, async (inspection) => {
    const { engine } = inspection;
    const a = await evidenceVersion(inspection, options.a);
    const b = await evidenceVersion(inspection, options.b);
    const { flips, ...result } = await engine.request("versions.compare", { a, b });
    printResult(io, { ...result, flips }, () => {
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
