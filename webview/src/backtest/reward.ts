import type { BacktestState } from "../../../shared/protocol/views/backtest.ts";
import type { GlossaryWord } from "../../../shared/words/glossary.ts";
import { rangeOf, type Binned } from "../shared/charts/axis.ts";
import { histogramsOf } from "../shared/charts/histogram.ts";
import { glossaryWord } from "../shared/glossaryWord.ts";
import { element } from "../shared/dom.ts";
import { countText, figureText, percentText, valueText } from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { tableOf, type Cell } from "../shared/table.ts";
import { visibleText } from "../shared/visibleText.ts";

type Found = Extract<BacktestState, { type: "reward" }>["found"];
type Result = Found["results"][number];
type Distribution = NonNullable<Result["reward"]["distribution"]["before"]>;

/** What another reward would have made of the groups of each version: before and after on one axis. */
export function rewardOf({ results }: Found): HTMLElement[] {
  if (results.length === 0) return [element("p", "quiet", "No version has rollouts to replay.")];
  // The newest version is what a change of the reward is made for.
  return [...results].reverse().map(versionOf);
}

function versionOf({ version, split, reward, filter, summary, concern }: Result): HTMLElement {
  const section = element("section", "version");
  section.append(element("h2", "", visibleText(`${version}, ${split} split`)));
  const [first, ...rest] = summary;
  if (first !== undefined) {
    const line = element("p", concern ? "first concern" : "first");
    if (concern) line.append(signElement("△"), " ");
    line.append(visibleText(first));
    section.append(line);
  }
  const charts = element("div", "charts");
  charts.append(
    ...chartOf("Reward of the rollouts", reward.distribution),
    ...chartOf("Spread of the groups", reward.spread),
  );
  section.append(charts, figuresOf(visibleText(version), reward, filter));
  if (rest.length > 0) {
    const fold = element("details");
    const list = element("ul");
    for (const sentence of rest) list.append(element("li", "", visibleText(sentence)));
    fold.append(element("summary", "", "Everything that was found"), list);
    section.append(fold);
  }
  return section;
}

function chartOf(
  title: string,
  { before, after }: { readonly before: Distribution | null; readonly after: Distribution | null },
): HTMLElement[] {
  const row = (name: string, found: Distribution | null) =>
    found === null
      ? []
      : [
          {
            name,
            binned: found satisfies Binned,
            says: `mean ${valueText(found.mean)}, ${percentText(found.topShare)} at ${valueText(found.topReward)}`,
          },
        ];
  const rows = [...row("before", before), ...row("after", after)];
  if (rows.length === 0) return [];
  const figure = element("figure");
  figure.append(
    element("figcaption", "", title),
    histogramsOf(rows, { domain: rangeOf(rows), say: figureText }),
  );
  return [figure];
}

function figuresOf(version: string, reward: Result["reward"], filter: Result["filter"]): HTMLElement {
  const word = (text: string, of: GlossaryWord): Cell => ({ text: glossaryWord(text, of) });
  const { dead, violations, groups } = reward;
  /** What more of them would be: a line that did not change says nothing. */
  const change = (before: number, after: number, more: "better" | "worse"): Cell => {
    if (before === after) return "the same";
    const isBetter = after > before === (more === "better");
    const said = element("span");
    said.append(
      signElement(isBetter ? "▲" : "▼", isBetter ? "colour-green" : "colour-red"),
      isBetter ? " better" : " worse",
    );
    return { text: said };
  };
  const kept = (of: { readonly kept: number } | null): string => (of === null ? "–" : countText(of.kept));
  return tableOf(
    `Groups of ${version} before and after`,
    [`of ${countText(groups)} groups`, "before", "after", "change"],
    [
      [
        word("dead groups", "dead group"),
        countText(dead.before),
        countText(dead.after),
        change(dead.before, dead.after, "worse"),
      ],
      [
        word("kept groups", "kept group"),
        kept(filter.before),
        kept(filter.after),
        filter.before === null ? "–" : change(filter.before.kept, filter.after.kept, "better"),
      ],
      [
        word("order violations", "order violation"),
        countText(violations.before.rollouts),
        countText(violations.after.rollouts),
        change(violations.before.rollouts, violations.after.rollouts, "worse"),
      ],
    ],
  );
}
