import type { EvidenceRow } from "../../../shared/protocol/views/evidence.ts";
import { element } from "../shared/dom.ts";
import { countText, valueText } from "../shared/numbers.ts";
import { outcomeElement, spoiledOutcome } from "../shared/outcomes.ts";
import { visibleLine } from "../shared/visibleText.ts";
import type { Slot } from "../shared/virtualList.ts";

const columns = ["outcome", "item", "step", "reward", "stop", "tokens", "labels"] as const;
const titles: Readonly<Record<(typeof columns)[number], string>> = {
  outcome: "Outcome",
  item: "Item · sample",
  step: "Step",
  reward: "Reward",
  stop: "Ended as",
  tokens: "Tokens",
  labels: "Labels",
};

export function createHead(): HTMLElement {
  const head = element("div", "row head");
  head.setAttribute("aria-hidden", "true");
  for (const column of columns) {
    const title = element("span", column, titles[column]);
    if (column === "stop") title.title = "Stop reason: how the rollout ended, as the trainer recorded it";
    head.append(title);
  }
  return head;
}

/** The elements of one line, and which rollout they show; undefined for one that is on its way. */
export type RowSlot = Slot & { row: EvidenceRow | undefined; index: number };

export function createSlot(): RowSlot {
  const node = element("div", "row");
  node.setAttribute("role", "option");
  return { node, row: undefined, index: -1 };
}

/** Shows a rollout in a slot, or holds its place; what stands there already stays, for who is clicking it. */
export function fillSlot(
  slot: RowSlot,
  row: EvidenceRow | undefined,
  {
    index,
    size,
    isSelected,
    invalidating,
  }: {
    readonly index: number;
    readonly size: number;
    readonly isSelected: boolean;
    /** Labels whose rollouts do not count. */
    readonly invalidating: ReadonlySet<string>;
  },
): void {
  const { node } = slot;
  if (slot.index === -1 || slot.row !== row) {
    node.replaceChildren(...(row ? cellsOf(row, invalidating) : [element("span", "outcome", "…")]));
    if (row) {
      node.id = `rollout-${row.rid}`;
      node.removeAttribute("aria-label");
    } else {
      node.removeAttribute("id");
      node.setAttribute("aria-label", "loading");
    }
  }
  [slot.row, slot.index] = [row, index];
  node.className = `row${row ? "" : " waiting"}${isSelected ? " selected" : ""}`;
  node.setAttribute("aria-selected", String(isSelected));
  node.setAttribute("aria-posinset", String(index + 1));
  node.setAttribute("aria-setsize", String(size));
}

function cellsOf(row: EvidenceRow, invalidating: ReadonlySet<string>): HTMLElement[] {
  const spoiling = row.labels.filter((label) => invalidating.has(label));
  const others = row.labels.filter((label) => !invalidating.has(label));
  const cells: Readonly<Record<Exclude<(typeof columns)[number], "outcome">, string>> = {
    item: `${visibleLine(row.item)} · ${row.sample}`,
    step: row.step === null ? "" : countText(row.step),
    reward: row.reward === null ? "" : valueText(row.reward),
    stop: visibleLine(row.stop_reason ?? ""),
    tokens: row.tokens === null ? "" : countText(row.tokens),
    // Why it does not count is read first, and cut off last.
    labels: [
      row.notes > 0 ? `✎ ${row.notes === 1 ? "note" : `${row.notes} notes`}` : "",
      ...spoiling,
      ...others,
    ]
      .filter((part) => part !== "")
      .join(", "),
  };
  const made = columns.map((column) => {
    if (column === "outcome")
      return spoiling.length === 0
        ? outcomeElement("span", row.outcome)
        : spoiledOutcome("span", row.outcome, spoiling);
    const cell = element("span", column, cells[column]);
    cell.title = cells[column];
    return cell;
  });
  if (row.snippet) {
    const { before, hit, after } = row.snippet;
    const found = element("span", "snippet");
    found.append(visibleLine(before), element("mark", "", visibleLine(hit)), visibleLine(after));
    made.push(found);
  }
  return made;
}
