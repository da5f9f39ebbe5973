import { line, scaleLinear } from "d3";
import * as z from "zod";
import { mostTokens, tokensLeftOut } from "../../../shared/model/tokenValues.ts";
import type { ShownRollout } from "../../../shared/protocol/views/rollout.ts";
import { element, linkButton, svgElement } from "../shared/dom.ts";
import { countText, figureText } from "../shared/numbers.ts";

type Rollout = Pick<ShownRollout["rollout"], "extra" | "turns">;

/** Fields of extra in which trainers keep a number for each generated token, and which of their values is the worst. */
const kinds = [
  { fields: ["token_logprobs", "logprobs"], title: "Log-probability", worst: "lowest" },
  { fields: ["token_entropies", "entropies"], title: "Entropy", worst: "highest" },
  { fields: ["token_advantages", "advantages"], title: "Advantage", worst: "lowest" },
  { fields: ["trainer_sampler_difference"], title: "Trainer less sampler", worst: "furthest from 0" },
] as const;

type TokenSeries = {
  readonly title: string;
  readonly values: readonly number[];
  /** Place of the worst value, and what makes it that. */
  readonly worst: number;
  readonly because: string;
};

const Numbers = z.array(z.number()).min(2);

/** The numbers per generated token that the evidence has. */
function tokenSeries({ extra }: Pick<Rollout, "extra">): TokenSeries[] {
  return kinds.flatMap(({ fields, title, worst }) => {
    const values = fields
      .map((field) => Numbers.safeParse(extra[field]).data)
      .find((found) => found !== undefined);
    if (values === undefined) return [];
    const badness = (value: number): number =>
      worst === "lowest" ? -value : worst === "highest" ? value : Math.abs(value);
    let at = 0;
    for (const [place, value] of values.entries()) if (badness(value) > badness(values[at] ?? 0)) at = place;
    return [{ title, values, worst: at, because: worst }];
  });
}

/**
 * The turn of the policy that a token belongs to, by how many tokens each had. Undefined where their sum is another number
 * of tokens than the series has: then nobody knows which were left out.
 */
function turnOfToken({ turns }: Pick<Rollout, "turns">, token: number, length: number): number | undefined {
  const counted = turns.reduce((sum, { role, tokens = 0 }) => sum + (role === "assistant" ? tokens : 0), 0);
  if (counted !== length) return undefined;
  let end = 0;
  for (const [index, { role, tokens = 0 }] of turns.entries()) {
    if (role !== "assistant") continue;
    end += tokens;
    if (token < end) return index;
  }
  return undefined;
}

const [width, height] = [260, 60];

/** What the evidence has of each token, with the way to the worst; or that it has nothing. */
export function tokensElement(rollout: Rollout, go: (turn: number) => void): HTMLElement {
  const section = element("section", "tokens");
  const series = tokenSeries(rollout);
  section.append(element("h2", "", "Per token"));
  if (series.length === 0) section.append(element("p", "quiet", absenceText(rollout)));
  for (const { title, values, worst, because } of series) {
    const turn = turnOfToken(rollout, worst, values.length);
    const said = `${because} ${figureText(values[worst] ?? 0)} at token ${countText(worst + 1)}`;
    const caption = element("p", "", `${title}: `);
    caption.append(turn === undefined ? said : linkButton(`${said}, turn ${turn + 1}`, () => go(turn)));
    section.append(caption, chartOf(title, values, worst));
  }
  return section;
}

function absenceText({ extra }: Pick<Rollout, "extra">): string {
  const count = z.number().safeParse(extra[tokensLeftOut]).data;
  return count === undefined
    ? "This source has no values per token: no log-probability, entropy or advantage."
    : `The source has values for ${countText(count)} tokens. Import keeps those of at most ${countText(mostTokens)} per rollout.`;
}

function chartOf(title: string, values: readonly number[], worst: number): SVGSVGElement {
  const [low, high] = values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
  const x = scaleLinear([0, values.length - 1], [4, width - 4]);
  const y = scaleLinear(low < high ? [low, high] : [low - 1, low + 1], [height - 4, 4]);
  const svg = svgElement("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `${title} of ${values.length} tokens, from ${figureText(low)} to ${figureText(high)}`,
  });
  const drawn = line<number>(
    (_, i) => x(i),
    (value) => y(value),
  )([...values]);
  svg.append(
    svgElement("path", { class: "curve", d: drawn ?? "" }),
    svgElement("circle", { class: "worst", cx: x(worst), cy: y(values[worst] ?? 0), r: 3.5 }),
  );
  return svg;
}
