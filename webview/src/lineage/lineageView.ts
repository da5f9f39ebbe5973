import type {
  FromLineagePanel,
  LineageAbsence,
  LineageStanding,
  LineageUiState,
  ToLineagePanel,
} from "../../../shared/protocol/views/lineage.ts";
import type { LabelByPeople } from "../../../shared/protocol/results/people.ts";
import { LineageTable } from "../../../shared/protocol/views/lineageTable.ts";
import { createButton } from "../shared/button.ts";
import { createScorePicture, type ScoredVersion } from "../shared/charts/scoreByVersion.ts";
import { element } from "../shared/dom.ts";
import type { Host } from "../shared/startView.ts";
import { createDetails } from "./details.ts";
import { parseFilter, sortedBy, type Order } from "./filter.ts";
import { layoutLineage, type Layout } from "./layout.ts";
import { scoredVersions, type Seeds } from "./progress.ts";
import { LineageRows } from "./rows.ts";
import { standingOf } from "./standing.ts";
import { VersionTables } from "./tables.ts";
import { createToolbar } from "./toolbar.ts";
import { shownVersions, type Shown } from "./visible.ts";

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
  action: { label: "Show Log", id: "showLog" },
};
/** The names that are marked, and no more. */
const mostMarked = 20;

const toggled = (list: readonly string[], name: string): string[] =>
  list.includes(name) ? list.filter((other) => other !== name) : [...list, name];

/** The lineage: what is filtered, laid out and selected, and the parts that draw it. */
export class LineageView {
  readonly #host: Host<FromLineagePanel, LineageUiState>;
  #absence: LineageAbsence = { type: "loading" };
  /** The project that the versions are of. */
  #root: string | undefined;
  #table = new LineageTable();
  #stamp = 0;
  #standing: LineageStanding = { running: [], waiting: [] };
  #seeds: Seeds = new Map();
  #people: readonly LabelByPeople[] = [];
  #scored: { readonly of: readonly unknown[]; readonly versions: readonly ScoredVersion[] } | undefined;
  /** Of which lineage and standing the strip is. */
  #stripOf: readonly unknown[] = [];
  #shown: Shown = { indices: [], isGraph: true, problem: null };
  #layout: Layout | undefined;
  #later: ReturnType<typeof setTimeout> | undefined;
  /** A version that is to be shown once it has come. */
  #wanted: string | null = null;
  readonly #patience: ReturnType<typeof setTimeout>;

  readonly #message = element("section", "message");
  readonly #notices = element("section", "notices");
  readonly #strip = element("p", "standing");
  readonly #picture = createScorePicture((name) => {
    this.#select(name);
    this.#open(name);
  });
  readonly #tables = new VersionTables({
    open: (name) => this.#open(name),
    evidence: (name, label) => this.#host.post({ type: "evidence", name, label }),
    ask: (id, versions) => this.#host.post({ type: "items", id, versions: [...versions] }),
    cells: (cells) => this.#host.post({ type: "cells", cells: [...cells] }),
  });
  readonly #hint = element("p", "nothing quiet", "This filter shows no version.");
  readonly #body = element("div", "body");
  readonly #toolbar = createToolbar({
    query: (query) => this.#change({ query }),
    layout: (layout) => this.#change({ layout }),
    fold: (folded) => this.#change({ folded, exceptions: [] }),
    compare: () => this.#compare(),
    refresh: () => this.#host.post({ type: "action", action: "refresh" }),
    unscope: () => this.#change({ scope: null }),
    unhide: (name) => this.#change({ hidden: this.#ui.hidden.filter((other) => other !== name) }),
    unmark: (name) => this.#change({ marked: this.#ui.marked.filter((other) => other !== name) }),
  });
  readonly #rows = new LineageRows({
    select: (index) => this.#select(this.#nameOf(index)),
    mark: (index) =>
      this.#change({ marked: toggled(this.#ui.marked, this.#nameOf(index)).slice(-mostMarked) }),
    open: (index) => {
      this.#select(this.#nameOf(index));
      this.#open(this.#nameOf(index));
    },
    fold: (generation, folded) => this.#fold(generation, folded),
    sort: (by: Order) => this.#change({ query: sortedBy(this.#ui.query, by) }),
    key: (key, index) => this.#pressed(key, index),
  });
  readonly #details = createDetails({
    open: (name) => this.#open(name),
    select: (name) => this.#reveal(name),
    evidence: (name, label) => this.#host.post({ type: "evidence", name, label }),
    scope: (how, name) => this.#change({ scope: { how, name } }),
    hide: (name) => this.#change({ hidden: toggled(this.#ui.hidden, name) }),
    note: (name, what, value) =>
      this.#host.post({
        ...{ type: "note", ...(this.#root === undefined ? {} : { root: this.#root }) },
        ...{ name, what, value },
      }),
    written: (written) => this.#host.keep({ ...this.#ui, written }),
  });

  constructor(app: HTMLElement, host: Host<FromLineagePanel, LineageUiState>) {
    this.#host = host;
    this.#details.restore(host.ui.written);
    for (const told of [this.#message, this.#notices, this.#hint]) told.setAttribute("role", "status");
    this.#body.append(this.#rows.node, this.#details.node);
    const [header, filters] = this.#toolbar.nodes;
    app.replaceChildren(
      header,
      this.#message,
      this.#notices,
      this.#strip,
      this.#picture.node,
      filters,
      this.#hint,
      this.#tables.node,
      this.#body,
    );
    this.#patience = setTimeout(() => {
      this.#absence = silent;
      this.#draw();
    }, patienceMs);
    this.#draw();
  }

  receive(message: ToLineagePanel): void {
    clearTimeout(this.#patience);
    switch (message.type) {
      case "absent":
        this.#absence = message.state;
        this.#notices.replaceChildren();
        this.#table = new LineageTable();
        this.#arrange();
        return;
      case "page": {
        const isFirst = this.#table.total === 0 || message.page.epoch !== this.#table.epoch;
        // Versions of another lineage may have the same names.
        if (isFirst) [this.#seeds, this.#people] = [new Map(), []];
        this.#root = message.root;
        this.#table.apply(message.page);
        this.#notices.replaceChildren(
          ...(message.page.notices ?? []).map((text) => element("p", "notice", text)),
        );
        this.#stamp++;
        if (isFirst) this.#arrange();
        else this.#arrangeSoon();
        return;
      }
      case "standing":
        this.#standing = message.standing;
        this.#drawStanding();
        return;
      case "refusedNote":
        this.#details.giveBack({ root: message.root, name: message.name }, message.value);
        return;
      case "seeds":
        this.#seeds = new Map(message.versions.map(({ version, seeds }) => [version, seeds]));
        this.#drawPicture();
        return;
      case "people":
        this.#people = message.people;
        this.#draw();
        return;
      case "items":
        this.#tables.take(message.id, message.answer);
        return;
      case "reveal":
        this.#wanted = message.name;
        this.#arrange();
        return;
    }
  }

  get #ui(): LineageUiState {
    return this.#host.ui;
  }
  get #isFolded(): boolean {
    return this.#ui.folded ?? this.#table.total >= foldedFrom;
  }
  #nameOf(index: number): string {
    return this.#table.name[index] ?? "";
  }

  #pressed(key: string, index: number | undefined): boolean {
    const name = index === undefined ? this.#ui.selected : this.#nameOf(index);
    if (key === "/") this.#toolbar.focusFilter();
    else if (key === "Escape") this.#change({ scope: null, hidden: [], marked: [] });
    else if (key === "c") this.#compare();
    else if (name === null) return false;
    else if (key === "s") this.#change({ scope: { how: "line", name } });
    else if (key === "f") this.#change({ scope: { how: "subtree", name } });
    else if (key === "h") this.#change({ hidden: toggled(this.#ui.hidden, name) });
    else if (key === "p") {
      const parent = this.#table.parent[this.#table.find(name) ?? -1] ?? -1;
      if (parent >= 0) this.#reveal(this.#nameOf(parent));
    } else return false;
    return true;
  }

  #compare(): void {
    const { marked, selected } = this.#ui;
    const names = marked.length > 0 ? [...marked] : selected === null ? [] : [selected];
    if (names.length > 0) this.#host.post({ type: "compare", names });
  }

  #open(name: string): void {
    this.#host.post({ type: "select", name });
    this.#host.post({ type: "compare", names: [name] });
  }

  #select(name: string): void {
    if (name === this.#ui.selected) return;
    this.#host.keep({ ...this.#ui, selected: name });
    this.#draw();
  }

  #fold(generation: number, folded: boolean): void {
    const others = this.#ui.exceptions.filter((other) => other !== generation);
    const isFolded = this.#isFolded;
    this.#change({
      folded: isFolded,
      exceptions: folded === isFolded ? others : [...others, generation],
    });
  }

  /** Changes what is kept; what is laid out follows. */
  #change(part: Partial<LineageUiState>): void {
    this.#host.keep({ ...this.#ui, ...part });
    this.#arrange();
  }

  /** Selects a version and brings it into view, whatever hides it. */
  #reveal(name: string): void {
    const index = this.#table.find(name);
    if (index === undefined) return;
    const isHidden = (this.#layout?.rowOf[index] ?? -1) < 0;
    const generation = this.#table.generation[index] ?? 0;
    const others = this.#ui.exceptions.filter((other) => other !== generation);
    this.#host.keep({
      ...this.#ui,
      selected: name,
      ...(isHidden ? { query: "", scope: null, hidden: [] } : {}),
      exceptions: this.#isFolded ? [...others, generation] : others,
    });
    this.#wanted = null;
    this.#arrange();
    const row = this.#layout?.rowOf[index] ?? -1;
    if (row >= 0) this.#rows.reveal(row);
  }

  #arrangeSoon(): void {
    this.#later ??= setTimeout(() => this.#arrange(), this.#table.rest > 0 ? togetherMs : 0);
  }

  /** Lays out anew and draws. */
  #arrange(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    if (this.#table.total > 0) {
      this.#shown = shownVersions(this.#table, this.#ui);
      const exceptions = new Set(this.#ui.exceptions);
      const folded = this.#isFolded;
      this.#layout = layoutLineage(this.#table, this.#shown.indices, {
        isGraph: this.#shown.isGraph && this.#ui.layout === "graph",
        isFolded: (generation) => exceptions.has(generation) !== folded,
      });
      if (this.#wanted !== null && this.#table.find(this.#wanted) !== undefined) {
        this.#reveal(this.#wanted);
        return;
      }
    }
    this.#draw();
  }

  #draw(): void {
    const [ui, table, shown] = [this.#ui, this.#table, this.#shown];
    const isThere = table.total > 0;
    const isList = ui.layout === "graph" || ui.layout === "table";
    this.#message.hidden = isThere;
    this.#body.hidden = !isThere || !isList;
    this.#tables.node.hidden = !isThere || isList;
    this.#drawAbsence();
    this.#toolbar.update({
      ui,
      table: isThere ? table : undefined,
      shown: shown.indices.length,
      problem: shown.problem,
      folded: this.#isFolded,
      stamp: table.rest > 0 ? -1 : this.#stamp,
    });
    const selected = ui.selected === null ? undefined : table.find(ui.selected);
    const detailed = selected === undefined || !isThere ? undefined : table.version(selected);
    this.#details.update({ root: this.#root, version: detailed, people: this.#people });
    this.#hint.hidden = !isThere || shown.indices.length > 0;
    this.#drawStanding();
    this.#drawPicture();
    if (!isThere || !this.#layout) return;
    if (ui.layout === "labels" || ui.layout === "items") {
      this.#tables.update(ui.layout, table, {
        ...{ shown: shown.indices, stamp: this.#stamp, people: this.#people },
      });
      return;
    }
    this.#rows.update({
      table,
      layout: this.#layout,
      kind: ui.layout,
      selected: selected ?? null,
      marked: new Set(ui.marked.map((name) => table.find(name) ?? -1)),
      order: parseFilter(ui.query).order,
      people: this.#people,
    });
  }

  #drawStanding(): void {
    const of = [this.#table, this.#stamp, this.#standing];
    if (of.every((part, i) => part === this.#stripOf[i])) return;
    this.#stripOf = of;
    const parts =
      this.#table.total === 0
        ? []
        : standingOf(this.#table, this.#standing, {
            open: (name) => this.#open(name),
            job: (id) => this.#host.post({ type: "job", id }),
            jobs: () => this.#host.post({ type: "jobs" }),
            gate: (name) => this.#host.post({ type: "gate", name }),
          });
    this.#strip.hidden = parts.length === 0;
    this.#strip.replaceChildren(...parts);
  }

  /** Counted once for the same versions: a key that moves the selection must not wait for it. */
  #scoredIn(room: number): readonly ScoredVersion[] {
    const of = [this.#stamp, this.#shown.indices, this.#seeds, room] as const;
    if (this.#scored?.of.every((part, i) => part === of[i]) !== true) {
      const versions = scoredVersions(this.#table, this.#shown.indices, { room, seeds: this.#seeds });
      this.#scored = { of, versions };
    }
    return this.#scored.versions;
  }

  /** Above the list; while versions are still on their way there is nothing to look at yet. */
  #drawPicture(): void {
    const { layout, selected } = this.#ui;
    const isList = layout === "graph" || layout === "table";
    this.#picture.node.hidden = this.#table.total === 0 || !isList;
    if (this.#picture.node.hidden || this.#table.rest > 0) return;
    this.#picture.update((room) => this.#scoredIn(room), selected);
  }

  #drawAbsence(): void {
    if (this.#absence.type === "loading") {
      this.#message.replaceChildren(element("p", "", "Reading the lineage…"));
      return;
    }
    const { cause, advice, action } = this.#absence;
    this.#message.replaceChildren(
      element("p", "cause", cause),
      element("p", "", advice),
      createButton(action.label, () => this.#host.post({ type: "action", action: action.id }), "primary"),
    );
  }
}
