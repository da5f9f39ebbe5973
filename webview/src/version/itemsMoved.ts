import type { Flip, PairedComparison } from "../../../shared/protocol/results/pairedComparison.ts";
import { verdictLooks } from "../../../shared/words/decisions.ts";
import { element, linkButton } from "../shared/dom.ts";
import { countText } from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { visibleLine } from "../shared/visibleText.ts";
import type { Pair, PairHandlers } from "./pair.ts";

/** One side of what became of the items: how many, and the one that shows it best. */
type ItemsSide = {
  readonly direction: Flip["direction"];
  readonly count: number;
  readonly example: Flip | undefined;
};

/** The items that pass more often now and those that pass less often: a gain is not told without its losses. */
export function itemSides({ flipped, flips }: Pick<PairedComparison, "flipped" | "flips">): ItemsSide[] {
  if (flipped.fixed + flipped.broken === 0) return [];
  return (["fixed", "broken"] as const).map((direction) => {
    const own = flips.filter((flip) => flip.direction === direction);
    const example = own.find(({ divergence }) => divergence !== null) ?? own[0];
    return { direction, count: flipped[direction], example };
  });
}

/** A line of both, each with a click to the turn where a rollout of it parts from one of the other version. */
export function itemsMovedOf(
  comparison: Pick<PairedComparison, "flipped" | "flips">,
  { b }: Pair,
  on: PairHandlers,
): HTMLElement[] {
  const sides = itemSides(comparison);
  if (sides.length === 0) return [];
  const line = element("p", "items-moved");
  line.append(element("span", "quiet", "items "));
  for (const { direction, count, example } of sides) {
    const [look, often] =
      direction === "fixed"
        ? ([verdictLooks.improved, "more often"] as const)
        : ([verdictLooks.regressed, "less often"] as const);
    const side = element("span", "items-side");
    if (count === 0) side.append(`none passes ${often}`);
    else
      side.append(
        signElement(look.mark, `sign colour-${look.colour}`),
        ` ${countText(count)}`,
        element("span", "wide", count === 1 ? " passes" : " pass"),
        ` ${often}`,
        ...(example === undefined
          ? []
          : [",", element("span", "wide", " see"), " ", exampleLink(example, b, on)]),
      );
    line.append(side);
  }
  return [line];
}

function exampleLink({ item, divergence }: Flip, version: string, on: PairHandlers): HTMLElement {
  if (divergence === null) return linkButton(visibleLine(item), () => on.evidence({ version, item }));
  const { after, first } = divergence;
  const turn = first?.b ?? undefined;
  const link = linkButton(visibleLine(item), () =>
    on.rollout({ ...after, ...(turn === undefined ? {} : { turn }) }),
  );
  if (turn !== undefined) link.append(element("span", "wide", `, turn ${turn + 1}`));
  link.title = visibleLine(`${after.run}/${after.id}`);
  return link;
}
