import * as z from "zod";
import { commandTitles } from "../../../shared/words/commandTitles.ts";
import {
  lineageProtocol,
  LineageUiState,
  ToLineagePanel,
  type FromLineagePanel,
  type LineageAbsence,
} from "../../../shared/protocol/lineage.ts";
import { LineageTable } from "../../../shared/protocol/lineageTable.ts";
import { element } from "../shared/dom.ts";
import { connectHost } from "../shared/host.ts";
import { createButton } from "../shared/button.ts";
import "../shared/base.css";
import "./lineage.css";
import { createDetails } from "./details.ts";
import { parseFilter, withToken } from "./filter.ts";
import { layoutLineage, type Layout } from "./layout.ts";
import { createRows } from "./rows.ts";
import { createToolbar } from "./toolbar.ts";
import { shownVersions, type Shown } from "./visible.ts";

// The strict policy of the page forbids code from texts; without this zod tries once and the console shows it.
z.config({ jitless: true });

/** After this long without an answer the panel says so instead of going on to say that it reads. */
const patienceMs = 10_000;
/** While versions are on their way, or filters are typed, drawing waits for the next ones this long. */
const togetherMs = 150;
/** From so many versions on generations are folded until somebody unfolds them. */
const foldedFrom = 60;

const silent: LineageAbsence = {
  type: "empty",
  reason: "stopped",
  cause: "The extension does not answer.",
  advice: "It may still be starting. If this stays, the log says why.",
  action: { label: commandTitles["evotrainer.showLog"], id: "showLog" },
};
const fresh: LineageUiState = {
  version: 2,
  layout: "graph",
  selected: null,
  marked: [],
  query: "",
  scope: null,
  hidden: [],
  folded: null,
  exceptions: [],
};

type Unsent<T> = T extends unknown ? Omit<T, "protocol"> : never;

function start(app: HTMLElement): void {
  let absence: LineageAbsence = { type: "loading" };
  let table = new LineageTable();
  let stamp = 0;
  let shown: Shown = { indices: [], isGraph: true, problem: null };
  let layout: Layout | undefined;
  let later: ReturnType<typeof setTimeout> | undefined;
  /** A version that is to be shown once it has come. */
  let wanted: string | null = null;

  const host = connectHost<FromLineagePanel, LineageUiState>((raw) => {
    const message = ToLineagePanel.safeParse(raw).data;
    if (!message) return;
    clearTimeout(patience);
    switch (message.type) {
      case "absent":
        absence = message.state;
        table = new LineageTable();
        arrange();
        return;
      case "page": {
        const isFirst = table.total === 0 || message.page.epoch !== table.epoch;
        table.apply(message.page);
        stamp++;
        if (isFirst) arrange();
        else arrangeSoon();
        return;
      }
      case "reveal":
        wanted = message.name;
        arrange();
        return;
    }
  });
  let ui: LineageUiState = LineageUiState.safeParse(host.kept).data ?? fresh;
  const post = (message: Unsent<FromLineagePanel>): void =>
    host.post({ protocol: lineageProtocol, ...message });

  const message = element("section", "message");
  message.setAttribute("role", "status");
  const hint = element("p", "nothing quiet");
  hint.setAttribute("role", "status");
  const nameOf = (index: number): string => table.name[index] ?? "";
  const isFolded = (): boolean => ui.folded ?? table.total >= foldedFrom;

  const toggled = (list: readonly string[], name: string): string[] =>
    list.includes(name) ? list.filter((other) => other !== name) : [...list, name];
  const toolbar = createToolbar({
    query: (query) => change({ query }),
    layout: (next) => change({ layout: next }),
    fold: (folded) => change({ folded, exceptions: [] }),
    compare: () => compare(),
    refresh: () => post({ type: "action", action: "refresh" }),
    unscope: () => change({ scope: null }),
    unhide: (name) => change({ hidden: ui.hidden.filter((other) => other !== name) }),
    unmark: (name) => change({ marked: ui.marked.filter((other) => other !== name) }),
  });
  const rows = createRows({
    select: (index) => select(nameOf(index)),
    mark: (index) => change({ marked: toggled(ui.marked, nameOf(index)).slice(-20) }),
    open: (index) => {
      select(nameOf(index));
      open(nameOf(index));
    },
    fold: (generation, folded) => {
      const others = ui.exceptions.filter((other) => other !== generation);
      change({ folded: isFolded(), exceptions: folded === isFolded() ? others : [...others, generation] });
    },
    sort: (by) => {
      const { order } = parseFilter(ui.query);
      const isTwice = order?.by === by;
      // Highest first, then lowest first, then by time again; words the other way round.
      const isNumber = by === "score" || by === "label" || by === "generation";
      const first = isNumber ? `-${by}` : by;
      const second = isNumber ? by : `-${by}`;
      const isFirst = isTwice && order.descending === isNumber;
      change({ query: withToken(ui.query, "sort", !isTwice ? first : isFirst ? second : null) });
    },
    key: (key, index) => pressed(key, index),
  });
  const details = createDetails({
    open: (name) => open(name),
    select: (name) => reveal(name),
    evidence: (name, label) => post({ type: "evidence", name, label }),
    scope: (how, name) => change({ scope: { how, name } }),
    hide: (name) => change({ hidden: toggled(ui.hidden, name) }),
    note: (name, what, value) => post({ type: "note", name, what, value }),
  });
  const body = element("div", "body");
  body.append(rows.node, details.node);
  app.replaceChildren(...toolbar.nodes, message, hint, body);

  function pressed(key: string, index: number | undefined): boolean {
    const name = index === undefined ? ui.selected : nameOf(index);
    if (key === "/") toolbar.focusFilter();
    else if (key === "Escape") change({ scope: null, hidden: [], marked: [] });
    else if (key === "c") compare();
    else if (name === null) return false;
    else if (key === "s") change({ scope: { how: "line", name } });
    else if (key === "f") change({ scope: { how: "subtree", name } });
    else if (key === "h") change({ hidden: toggled(ui.hidden, name) });
    else if (key === "p") {
      const parent = table.parent[table.find(name) ?? -1] ?? -1;
      if (parent >= 0) reveal(nameOf(parent));
    } else return false;
    return true;
  }
  function compare(): void {
    const names = ui.marked.length > 0 ? ui.marked : ui.selected === null ? [] : [ui.selected];
    if (names.length > 0) post({ type: "compare", names: [...names] });
  }
  function open(name: string): void {
    post({ type: "select", name });
    post({ type: "compare", names: [name] });
  }

  function select(name: string): void {
    if (name === ui.selected) return;
    ui = { ...ui, selected: name };
    host.keep(ui);
    draw();
  }

  /** Changes what is kept; what is laid out follows. */
  function change(part: Partial<LineageUiState>): void {
    ui = { ...ui, ...part };
    host.keep(ui);
    arrange();
  }

  /** Selects a version and brings it into view, whatever hides it. */
  function reveal(name: string): void {
    const index = table.find(name);
    if (index === undefined) return;
    ui = { ...ui, selected: name };
    if ((layout?.rowOf[index] ?? -1) < 0) ui = { ...ui, query: "", scope: null, hidden: [] };
    const generation = table.generation[index] ?? 0;
    const others = ui.exceptions.filter((other) => other !== generation);
    if (isFolded()) ui = { ...ui, exceptions: [...others, generation] };
    else ui = { ...ui, exceptions: others };
    host.keep(ui);
    wanted = null;
    arrange();
    const row = layout?.rowOf[index] ?? -1;
    if (row >= 0) rows.reveal(row);
  }

  function arrangeSoon(): void {
    later ??= setTimeout(arrange, table.rest > 0 ? togetherMs : 0);
  }

  /** Lays out anew and draws. */
  function arrange(): void {
    clearTimeout(later);
    later = undefined;
    if (table.total > 0) {
      shown = shownVersions(table, ui);
      const exceptions = new Set(ui.exceptions);
      const folded = isFolded();
      layout = layoutLineage(table, shown.indices, {
        isGraph: shown.isGraph && ui.layout === "graph",
        isFolded: (generation) => exceptions.has(generation) !== folded,
      });
      if (wanted !== null && table.find(wanted) !== undefined) {
        reveal(wanted);
        return;
      }
    }
    draw();
  }

  function draw(): void {
    const isThere = table.total > 0;
    message.hidden = isThere;
    body.hidden = !isThere;
    if (absence.type === "loading") message.replaceChildren(element("p", "", "Reading the lineage…"));
    else {
      const { cause, advice, action } = absence;
      message.replaceChildren(
        element("p", "cause", cause),
        element("p", "", advice),
        createButton(action.label, () => post({ type: "action", action: action.id }), "primary"),
      );
    }
    toolbar.update({
      ui,
      table: isThere ? table : undefined,
      shown: shown.indices.length,
      problem: shown.problem,
      folded: isFolded(),
      stamp: table.rest > 0 ? -1 : stamp,
    });
    const selected = ui.selected === null ? undefined : table.find(ui.selected);
    details.update(selected === undefined || !isThere ? undefined : table.version(selected));
    hint.hidden = !isThere || shown.indices.length > 0;
    hint.textContent = "No version is shown by this filter.";
    if (!isThere || !layout) return;
    rows.update({
      table,
      layout,
      kind: ui.layout,
      selected: selected ?? null,
      marked: new Set(ui.marked.map((name) => table.find(name) ?? -1)),
      order: parseFilter(ui.query).order,
    });
  }

  const patience = setTimeout(() => {
    absence = silent;
    draw();
  }, patienceMs);
  draw();
  post({ type: "ready" });
}

const app = document.getElementById("app");
if (app) start(app);
