import type {
  EvidenceOrder,
  EvidenceQuery,
  EvidenceVersion,
} from "../../../shared/protocol/views/evidence.ts";
import { evidenceOrders } from "../../../shared/protocol/views/evidence.ts";
import { element } from "../shared/dom.ts";
import { choice, option } from "../shared/select.ts";
import { countText } from "../shared/numbers.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { filterNames } from "./countsText.ts";
import { foldButton } from "./foldButton.ts";

const orderTexts: Readonly<Record<EvidenceOrder, string>> = {
  arrival: "as they came",
  step: "training step",
  item: "item",
  reward: "reward",
  outcome: "outcome",
  stop_reason: "ended as",
  tokens: "tokens",
  n_turns: "turns",
};

export type Filters = {
  readonly node: HTMLElement;
  /** `split` is the one that the engine took where the query names none. */
  readonly update: (query: EvidenceQuery, versions: readonly EvidenceVersion[], split: string) => void;
};

/** What is listed: version, split, a condition, a text, the order, and the values that were chosen by a click. */
export function createFilters(change: (query: EvidenceQuery) => void): Filters {
  let query: EvidenceQuery | undefined;
  const set = (part: Partial<EvidenceQuery>): void => {
    if (query) change({ ...query, ...part });
  };
  const node = element("div", "filters");
  const version = choice("Version", "", (value) => {
    if (query) change({ version: value, orderBy: query.orderBy, descending: query.descending });
  });
  const split = choice("Split", "", (value) => set({ split: value === "train" ? "train" : "selection" }));
  const where = field(
    "Filter",
    'e.g. n_turns > 20 && outcome == "fail"',
    (value) => query && change(withOptional(query, "where", value)),
  );
  where.input.classList.add("wide", "code");
  const search = field(
    "Search in the text",
    "text or /expression/",
    (value) => query && change(withOptional(query, "search", value)),
  );
  const notes = field(
    "Notes",
    "text in a note, * for any",
    (value) => query && change(withOptional(query, "note", value)),
  );
  const order = choice("Sort by", "", (value) => set({ orderBy: asOrder(value) }));
  for (const name of evidenceOrders) order.select.append(option(name, orderTexts[name]));
  const direction = element("button", "link direction");
  direction.type = "button";
  direction.addEventListener("click", () => query && set({ descending: !query.descending }));
  const chips = element("div", "chips");
  const more = element("div", "more");
  more.id = "more-filters";
  more.append(where.label, search.label, notes.label, order.label, direction);
  const fold = foldButton("Filter, search and sort", more);
  node.append(version.label, split.label, fold.node, more, chips);

  return {
    node,
    update: (next, versions, listed) => {
      query = next;
      version.select.replaceChildren(...versions.map((v) => option(v.version, visibleLine(v.version))));
      version.select.value = next.version;
      const counts = versions.find((v) => v.version === next.version);
      split.select.replaceChildren(
        option("selection", `selection (${countText(counts?.selection ?? 0)})`),
        option("train", `train (${countText(counts?.train ?? 0)})`),
      );
      split.select.value = next.split ?? listed;
      if (document.activeElement !== where.input) where.input.value = next.where ?? "";
      if (document.activeElement !== search.input) search.input.value = next.search ?? "";
      if (document.activeElement !== notes.input)
        notes.input.value = next.note === undefined ? "" : next.note === "" ? "*" : next.note;
      order.select.value = next.orderBy;
      direction.textContent = next.descending ? "↓ descending" : "↑ ascending";
      fold.say(setIn(next));
      chips.replaceChildren(...chipsOf(next, change));
    },
  };
}

/** What of a query can be changed only in the fold. */
function setIn({ where, search, note, orderBy, descending }: EvidenceQuery): string {
  return [where, search, note === "" ? "*" : note]
    .flatMap((text) => (text === undefined ? [] : [visibleLine(text)]))
    .concat(
      orderBy === "arrival" && !descending ? [] : [`by ${orderTexts[orderBy]} ${descending ? "↓" : "↑"}`],
    )
    .join(" · ");
}

const chosen = ["label", "outcome", "stopReason", "step", "item"] as const;

function chipsOf(query: EvidenceQuery, change: (query: EvidenceQuery) => void): HTMLElement[] {
  return chosen.flatMap((name) => {
    const value = query[name];
    if (value === undefined) return [];
    const chip = element("button", "chip", `${filterNames[name]}: ${visibleLine(String(value))} ×`);
    chip.type = "button";
    chip.setAttribute("aria-label", `Do not filter by ${filterNames[name]} ${String(value)}`);
    chip.addEventListener("click", () => {
      change(without(query, name));
    });
    return [chip];
  });
}

function withOptional(query: EvidenceQuery, name: "where" | "search" | "note", value: string): EvidenceQuery {
  const rest = without(query, name);
  const text = value.trim();
  if (text === "") return rest;
  return { ...rest, [name]: name === "note" && text === "*" ? "" : text };
}

function without(query: EvidenceQuery, name: Exclude<keyof EvidenceQuery, "version">): EvidenceQuery {
  const rest = { ...query };
  Reflect.deleteProperty(rest, name);
  return rest;
}

const asOrder = (value: string): EvidenceOrder => evidenceOrders.find((o) => o === value) ?? "arrival";

function field(title: string, hint: string, change: (value: string) => void) {
  const label = element("label", "", `${title} `);
  const input = element("input");
  input.type = "search";
  input.placeholder = hint;
  input.spellcheck = false;
  input.addEventListener("change", () => change(input.value));
  label.append(input);
  return { label, input };
}
