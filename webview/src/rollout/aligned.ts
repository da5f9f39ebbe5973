import type { AlignedRollout, ShownTurn } from "../../../shared/protocol/views/rollout.ts";
import { element, linkButton } from "../shared/dom.ts";
import { countedText, valueText } from "../shared/numbers.ts";
import { outcomeElement, signElement, spoiledOutcome } from "../shared/outcomes.ts";
import { visibleLine } from "../shared/visibleText.ts";

/** Of a turn so much is shown in its cell. */
const previewCharacters = 280;
/** Rows that are drawn; further turns are said. */
const mostRows = 400;

type Alignment = {
  /** Turns at the beginning that are the same in all of them. */
  readonly common: number;
  /** Of each rollout the first turn in which it differs from the first rollout; null where it does not. */
  readonly parts: readonly (number | null)[];
};

const keyOf = ({ role, tool, args, text }: ShownTurn): string => JSON.stringify([role, tool, args, text]);

/** Where rollouts part, turn by turn. */
function alignment(rollouts: readonly Pick<AlignedRollout, "turns">[]): Alignment {
  const keys = rollouts.map(({ turns }) => turns.map(keyOf));
  const [first = []] = keys;
  const parts = keys.map((own, i) => {
    if (i === 0) return null;
    const longest = Math.max(first.length, own.length);
    for (let turn = 0; turn < longest; turn++) if (own[turn] !== first[turn]) return turn;
    return null;
  });
  const known = parts.filter((part) => part !== null);
  return { common: known.length === 0 ? first.length : Math.min(...known), parts };
}

/** The rollouts of one item beside each other, a row for each turn; what is the same at the beginning is one row. */
export function alignedElement(
  rollouts: readonly AlignedRollout[],
  on: { readonly open: (run: string, id: string) => void; readonly back: () => void },
): HTMLElement {
  const section = element("section", "aligned");
  const heading = element("div", "aligned-head");
  const { common, parts } = alignment(rollouts);
  heading.append(
    element("h2", "", `${countedText(rollouts.length, "rollout")} side by side`),
    linkButton("Back to the turns", on.back),
  );
  const table = element("table");
  const head = element("tr");
  const corner = element("th", "", "Turn");
  corner.scope = "col";
  head.append(corner, ...rollouts.map((rollout, i) => headOf(rollout, i, on.open)));
  const body = element("tbody");
  if (common > 0) {
    const row = element("tr", "common");
    const cell = element(
      "td",
      "quiet",
      `The first ${countedText(common, "turn is", "turns are")} the same in all of them.`,
    );
    cell.colSpan = rollouts.length + 1;
    row.append(cell);
    body.append(row);
  }
  const longest = Math.max(0, ...rollouts.map(({ turns }) => turns.length));
  for (let turn = common; turn < Math.min(longest, common + mostRows); turn++)
    body.append(rowOf(rollouts, turn, parts));
  const top = element("thead");
  top.append(head);
  table.append(top, body);
  const scroller = element("div", "aligned-scroll");
  // It scrolls, so that it has to be reached by keyboard.
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "region");
  scroller.setAttribute("aria-label", "Rollouts side by side");
  scroller.append(table);
  section.append(heading, scroller);
  if (longest > common + mostRows)
    section.append(
      element("p", "quiet", `${countedText(longest - common - mostRows, "further turn")} not shown.`),
    );
  return section;
}

function headOf(
  { run, id, version, outcome, reward, labels, spoiledBy }: AlignedRollout,
  place: number,
  open: (run: string, id: string) => void,
): HTMLElement {
  const cell = element("th");
  cell.scope = "col";
  const link = linkButton(visibleLine(id), () => open(run, id));
  link.title = `${visibleLine(run)}/${visibleLine(id)}`;
  const facts = element(
    "div",
    "quiet",
    `${visibleLine(version)}${reward === null ? "" : ` · reward ${valueText(reward)}`}`,
  );
  const result =
    spoiledBy.length === 0 ? outcomeElement("span", outcome) : spoiledOutcome("span", outcome, spoiledBy);
  cell.append(link, " ", result, facts);
  if (place === 0) cell.append(element("div", "quiet", "the others are compared with it"));
  if (labels.length > 0) cell.append(element("div", "quiet", visibleLine(labels.join(", "))));
  return cell;
}

function rowOf(
  rollouts: readonly AlignedRollout[],
  turn: number,
  parts: readonly (number | null)[],
): HTMLElement {
  const row = element("tr");
  const number = element("th", "", String(turn + 1));
  number.scope = "row";
  row.append(number);
  for (const [place, { turns }] of rollouts.entries()) {
    const shown = turns[turn];
    const isParting = parts[place] === turn;
    const cell = element("td", isParting ? "parts" : "");
    if (isParting) cell.append(element("div", "parting", "◀ differs from here"));
    if (shown === undefined) {
      if (turn === turns.length || isParting) cell.append(element("span", "quiet", "ended"));
    } else cell.append(...cellOf(shown));
    row.append(cell);
  }
  return row;
}

function cellOf({ role, tool, ok, args, text }: ShownTurn): HTMLElement[] {
  const head = element("div", "role", visibleLine(tool ?? role));
  if (ok !== undefined) {
    const said = element("span", ok ? "ok quiet" : "not-ok");
    said.append(" ", ...(ok ? ["succeeded"] : [signElement("✗"), " failed"]));
    head.append(said);
  }
  const written =
    args === undefined
      ? ""
      : Object.values(args)
          .map((v) => (typeof v === "string" ? v : JSON.stringify(v)))
          .join(" ");
  const whole = [written, text].filter((part) => part !== "").join("\n");
  const cut = whole.length > previewCharacters ? `${whole.slice(0, previewCharacters)}…` : whole;
  return [head, element("div", "preview", visibleLine(cut))];
}
