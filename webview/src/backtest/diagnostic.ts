import type { BacktestState } from "../../../shared/protocol/views/backtest.ts";
import { decisionLooks } from "../../../shared/words/decisions.ts";
import { reachOf } from "../shared/charts/axis.ts";
import { barsOf, legendOf } from "../shared/charts/bars.ts";
import { warningElement } from "../shared/distrusted.ts";
import { shortName } from "../../../shared/words/shortName.ts";
import { element, linkButton } from "../shared/dom.ts";
import { countText, percentText, pText } from "../shared/numbers.ts";
import { tableOf, type Cell } from "../shared/table.ts";
import { visibleLine, visibleText } from "../shared/visibleText.ts";

type Found = Extract<BacktestState, { type: "diagnostic" }>["found"];
/** Opens a rollout named as run/id at the turn that shows a label. */
export type OpenRollout = (rollout: string, label: string) => void;

const parts = ["labelled as before", "newly labelled", "no longer labelled"] as const;

/** What a revision of a diagnostic would label in each version, and whether it tells kept from rejected versions. */
export function diagnosticOf(found: Found, open: OpenRollout): HTMLElement[] {
  const { letThrough, admission, advantages, notes } = found;
  return [
    ...letThrough.filter(({ waived }) => waived === null).map(({ message }) => warningElement("p", message)),
    ...versionsOf(found, open),
    ...(admission === null ? [] : [admissionOf(admission, found.question)]),
    ...[...advantages, ...notes].map((line) => element("p", "quiet", visibleText(line))),
  ];
}

function versionsOf({ versions, diagnostic }: Found, open: OpenRollout): HTMLElement[] {
  if (versions.length === 0) return [element("p", "quiet", "No version has rollouts to label.")];
  const bars = versions.map(({ version, decision, rollouts, before, after, newly, noLonger }) => {
    const share = (n: number): number => (rollouts === 0 ? 0 : n / rollouts);
    const name = element("span", "", visibleLine(shortName(version)));
    name.title = visibleLine(version);
    if (decision !== null) name.prepend(`${decisionLooks[decision].mark} `);
    return {
      name,
      parts: [
        { name: parts[0], value: share(after.labelled - newly.count) },
        { name: parts[1], value: share(newly.count) },
        { name: parts[2], value: -share(noLonger.count) },
      ],
      says: `${before === null ? "" : `${percentText(share(before.labelled))} → `}${percentText(share(after.labelled))}`,
    };
  });
  const axis = {
    domain: reachOf(bars),
    say: (share: number) => percentText(Math.abs(share)),
  };
  const chart = element("section", "labelled");
  chart.append(
    element("h2", "", "Rollouts that carry the label"),
    legendOf(parts),
    barsOf(bars, axis, parts),
  );
  const rows = versions.flatMap(({ version, newly, noLonger }) =>
    newly.count + noLonger.count === 0
      ? []
      : [
          [
            visibleText(version),
            changedCell(newly, diagnostic, open),
            changedCell(noLonger, diagnostic, open),
          ] satisfies Cell[],
        ],
  );
  return [
    chart,
    rows.length === 0
      ? element("p", "quiet", "No rollout is labelled differently from before.")
      : tableOf("Rollouts whose label changed", ["version", "newly", "no longer"], rows),
  ];
}

function changedCell(
  { count, examples }: Found["versions"][number]["newly"],
  label: string,
  open: OpenRollout,
): Cell {
  const cell = element("span", "changed", countText(count));
  for (const name of examples)
    cell.append(
      " ",
      linkButton(visibleLine(name), () => open(name, label)),
    );
  return { text: cell };
}

/** Which versions lie on which side of the threshold: a good metric leaves two of the four cells empty. */
function admissionOf(admission: NonNullable<Found["admission"]>, question: Found["question"]): HTMLElement {
  const { threshold, good, bad, because, adjusted, p } = admission;
  const [kept, rejected] = question === "kept_against_rejected" ? ["kept", "rejected"] : ["sound", "invalid"];
  const section = element("section", "admission");
  section.append(element("h2", "", `Does it tell ${kept} from ${rejected} versions?`));
  section.append(element("p", "", visibleText(because)));
  if (threshold === null) return section;
  const sideOf = (above: boolean) => (side: typeof good) =>
    side
      .filter(({ value }) => value !== null && value > threshold.at === above)
      .map(({ version, value }) => `${shortName(version)} ${percentText(value ?? 0)}`)
      .map(visibleLine)
      .join(", ");
  const row = (name: string, side: typeof good): Cell[] => [
    name,
    sideOf(false)(side) || "–",
    sideOf(true)(side) || "–",
  ];
  section.append(
    tableOf(
      "Versions by decision and side of the threshold",
      ["", `at most ${percentText(threshold.at)}`, `above ${percentText(threshold.at)}`],
      [row(kept, good), row(rejected, bad)],
    ),
  );
  const shown = adjusted ?? p;
  if (shown !== null) section.append(element("p", "quiet", `p = ${pText(shown)}`));
  return section;
}
