import { decisionLooks } from "../../../shared/words/decisions.ts";
import {
  decisions,
  lineageLayouts,
  type LineageLayout,
  type LineageUiState,
} from "../../../shared/protocol/views/lineage.ts";
import type { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import { element } from "../shared/dom.ts";
import { option } from "../shared/select.ts";
import { countedText, countText } from "../shared/numbers.ts";
import { createButton } from "../shared/button.ts";
import { visibleLine } from "../shared/visibleText.ts";
import { facets, facetValues, parseFilter, withToken, type Facet } from "./filter.ts";

export type ToolbarHandlers = {
  readonly query: (query: string) => void;
  readonly layout: (layout: LineageUiState["layout"]) => void;
  readonly fold: (folded: boolean) => void;
  readonly compare: () => void;
  readonly refresh: () => void;
  readonly unscope: () => void;
  readonly unhide: (name: string) => void;
  readonly unmark: (name: string) => void;
};
export type ToolbarModel = {
  readonly ui: LineageUiState;
  readonly table: LineageTable | undefined;
  readonly shown: number;
  readonly problem: string | null;
  /** Whether generations are folded where nobody said otherwise. */
  readonly folded: boolean;
  /** Changes when the values to choose from may have changed. */
  readonly stamp: number;
};
export type Toolbar = {
  /** The header, and below the picture the filters. */
  readonly nodes: readonly [HTMLElement, HTMLElement];
  readonly update: (model: ToolbarModel) => void;
  readonly focusFilter: () => void;
};

const layoutTexts: Readonly<Record<LineageLayout, string>> = {
  graph: "Graph",
  table: "Table",
  labels: "Labels",
  items: "Items",
};
const facetTexts: Readonly<Record<Facet, string>> = {
  status: "Decision",
  label: "Label",
  factor: "Factor",
  author: "Author",
  tag: "Tag",
};
/** More values than anybody looks through in a list; the filter box takes any. */
const mostValues = 100;

/** Title, filter box, facets, and what is in force now as chips that take it away. */
export function createToolbar(on: ToolbarHandlers): Toolbar {
  const header = element("header", "top");
  const title = element("h1");
  const counts = element("p", "counts");
  counts.setAttribute("role", "status");
  const layouts = lineageLayouts.map((layout) => ({
    layout,
    button: createButton(layoutTexts[layout], () => on.layout(layout), "secondary"),
  }));
  const fold = createButton("Fold", () => on.fold(!isFolded), "secondary");
  const compare = createButton("Compare", () => on.compare(), "primary");
  const tools = element("div", "tools");
  tools.append(
    compare,
    ...layouts.map(({ button }) => button),
    fold,
    createButton("Refresh", () => on.refresh(), "secondary"),
  );
  header.append(title, counts, tools);

  const filters = element("div", "filters");
  const box = createFilterBox(on.query);
  const choices = facets.map((facet) => {
    const select = element("select");
    select.setAttribute("aria-label", facetTexts[facet]);
    select.addEventListener("change", () =>
      on.query(withToken(box.value, facet, select.value === "" ? null : select.value)),
    );
    return { facet, select };
  });
  const problem = element("p", "problem");
  problem.setAttribute("role", "alert");
  const chips = element("div", "chips");
  filters.append(box, ...choices.map(({ select }) => select), problem, chips);

  let isFolded = false;
  let known = -1;

  function update({ ui, table: lineage, shown, problem: said, folded, stamp }: ToolbarModel): void {
    isFolded = folded;
    title.textContent = lineage
      ? `${visibleLine(lineage.project)} · ${visibleLine(lineage.domain)}`
      : "Lineage";
    tools.hidden = filters.hidden = !lineage;
    counts.textContent = lineage ? countsText(lineage, shown) : "";
    if (!lineage) return;
    for (const { layout, button } of layouts)
      button.setAttribute("aria-pressed", String(ui.layout === layout));
    fold.textContent = folded ? "Unfold All" : "Fold All";
    fold.hidden = ui.layout !== "graph";
    const marked = ui.marked.length;
    compare.textContent = marked > 0 ? `Compare ${marked}` : "Compare";
    compare.toggleAttribute("disabled", marked === 0 && ui.selected === null);
    if (document.activeElement !== box || box.value.trim() !== ui.query.trim())
      if (box.value !== ui.query) box.value = ui.query;
    problem.hidden = said === null;
    problem.textContent = said ?? "";
    const filter = parseFilter(ui.query);
    for (const { facet, select } of choices) {
      if (known !== stamp) fillChoice(select, facet, lineage);
      const values = filter.is.get(facet) ?? [];
      const [first = ""] = values;
      if (first !== "" && ![...select.options].some(({ value }) => value === first))
        select.append(option(first, visibleLine(first)));
      select.value = values.length === 1 ? first : "";
      select.classList.toggle("set", values.length > 0);
    }
    known = stamp;
    chips.replaceChildren(...chipsOf(ui, on));
    chips.hidden = chips.childElementCount === 0;
  }

  return { nodes: [header, filters], update, focusFilter: () => box.focus() };
}

/** What is typed counts a moment later; what is confirmed counts at once. */
function createFilterBox(query: (text: string) => void): HTMLInputElement {
  const box = element("input", "wide");
  box.type = "search";
  box.placeholder = "words, status:kept label:… factor:… author:… tag:… score>=0.3 sort:-score";
  box.setAttribute("aria-label", "Filter and sort");
  box.spellcheck = false;
  let typing: ReturnType<typeof setTimeout> | undefined;
  box.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => query(box.value), 120);
  });
  box.addEventListener("change", () => {
    clearTimeout(typing);
    query(box.value);
  });
  return box;
}

/** What is in force now, each to be taken away by a click. */
function chipsOf({ scope, hidden, marked }: LineageUiState, on: ToolbarHandlers): HTMLElement[] {
  const chip = (text: string, label: string, off: () => void): HTMLElement => {
    const made = element("button", "chip", `${visibleLine(text)} ✕`);
    made.type = "button";
    made.setAttribute("aria-label", label);
    made.addEventListener("click", off);
    return made;
  };
  const scoped =
    scope === null
      ? []
      : [
          chip(
            scope.how === "line" ? `Line of ${scope.name}` : `Subtree of ${scope.name}`,
            "Show all versions",
            () => on.unscope(),
          ),
        ];
  return [
    ...scoped,
    ...hidden.map((name) => chip(`Hidden: ${name}`, `Show the subtree of ${name}`, () => on.unhide(name))),
    ...marked.map((name) => chip(`☑ ${name}`, `Unmark ${name}`, () => on.unmark(name))),
  ];
}

function countsText({ total, rest }: LineageTable, shown: number): string {
  const all = countedText(total, "version");
  const said = shown === total ? all : `${countText(shown)} of ${all}`;
  return rest > 0 ? `${all}, ${countText(rest)} still loading` : said;
}

function fillChoice(select: HTMLSelectElement, facet: Facet, table: LineageTable): void {
  const values = facetValues(table, facet).slice(0, mostValues);
  select.hidden = values.length === 0;
  select.replaceChildren(
    option("", facetTexts[facet]),
    ...values.map(({ value, versions }) => {
      const text = facet === "status" ? (decisions.find((d) => d === value) ?? "pending") : null;
      return option(
        value,
        `${text === null ? visibleLine(value) : decisionLooks[text].became} (${countText(versions)})`,
      );
    }),
  );
}
