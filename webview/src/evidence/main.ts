import * as z from "zod";
import {
  evidenceProtocol,
  EvidenceUiState,
  ToEvidencePanel,
  type EvidenceGroups,
  type EvidenceQuery,
  type EvidenceState,
  type EvidenceVersion,
  type EvidenceWindow,
  type FromEvidencePanel,
} from "../../../shared/protocol/evidence.ts";
import { element } from "../shared/dom.ts";
import { connectHost } from "../shared/host.ts";
import { countText } from "../shared/numbers.ts";
import { createButton } from "../shared/button.ts";
import "../shared/base.css";
import "./evidence.css";
import { createFilters } from "./filters.ts";
import { choose, createGroups } from "./groups.ts";
import { createList } from "./list.ts";
import { RowStore, type Question } from "./rowStore.ts";

// The strict policy of the page forbids code from texts; without this zod tries once and the console shows it.
z.config({ jitless: true });

type Unsent<T> = T extends unknown ? Omit<T, "protocol"> : never;

function start(app: HTMLElement): void {
  let state: EvidenceState = { type: "loading" };
  let rows = new RowStore();
  /** What the first page said of all of the list. */
  let page: EvidenceWindow | null = null;
  let groups: EvidenceGroups | null = null;
  let problem: string | null = null;
  let groupProblem: string | null = null;
  /** Of the last questions; an answer to an earlier one is dropped. */
  const asked = { page: 0, groups: 0 };

  const host = connectHost<FromEvidencePanel, EvidenceUiState>((raw) => {
    const message = ToEvidencePanel.safeParse(raw).data;
    if (message) receive(message);
  });
  let ui: EvidenceUiState = EvidenceUiState.safeParse(host.kept).data ?? {
    version: 1,
    query: null,
    grouping: "label",
    selected: null,
  };
  const post = (message: Unsent<FromEvidencePanel>): void =>
    host.post({ protocol: evidenceProtocol, ...message });
  const keep = (next: EvidenceUiState): void => {
    ui = next;
    host.keep(ui);
  };

  const header = element("header", "top");
  const title = element("h1", "", "Evidence");
  const counts = element("p", "counts");
  counts.setAttribute("role", "status");
  const again = createButton("Refresh", () => ui.query && ask(ui.query), "secondary");
  const save = createButton(
    "Export…",
    () => ui.query && post({ type: "export", query: ui.query }),
    "secondary",
  );
  save.title = "Write the rollouts of this list into a file, one line of JSON each";
  header.append(title, counts, save, again);
  const message = element("section", "message");
  message.setAttribute("role", "status");
  const refused = element("pre", "problem");
  refused.setAttribute("role", "alert");
  const filters = createFilters((query) => ask(query));
  const list = createList({
    select: ({ rid }) => {
      if (ui.selected === rid) return;
      keep({ ...ui, selected: rid });
      list.update(rows, rid);
    },
    open: (row, beside) => {
      keep({ ...ui, selected: row.rid });
      post({ type: "open", run: row.run, id: row.id, beside });
    },
    look: () => fetchNext(),
  });
  const side = createGroups({
    by: (grouping) => {
      keep({ ...ui, grouping });
      askGroups();
      draw();
    },
    choose: (by, value) => ui.query && ask(choose(ui.query, by, value)),
  });
  const body = element("div", "body");
  body.append(side.node, list.node);
  app.replaceChildren(header, filters.node, refused, message, body);

  function receive(told: ToEvidencePanel): void {
    switch (told.type) {
      case "state":
        state = told.state;
        // While a version is trained this comes often: what is being read stays, its groups are counted again.
        if (state.type === "versions" && page !== null && isListed(state.versions)) askGroups();
        else if (state.type === "versions") ask(ui.query ?? undefined);
        break;
      case "reveal":
        if (state.type === "versions") ask({ ...emptyQuery(), ...told.query });
        else keep({ ...ui, query: { ...emptyQuery(), ...told.query } });
        break;
      case "page":
        if (told.id !== asked.page) return;
        problem = told.answer.type === "refused" ? told.answer.message : null;
        if (told.answer.type === "page") {
          if (told.answer.page.counts) page = told.answer.page;
          rows.take(told.answer.page);
          if (problem === null && page !== null) {
            drawCounts();
            list.update(rows, ui.selected);
            if (told.answer.page.counts === null) return;
          }
        } else rows.giveUp();
        break;
      case "groups":
        if (told.id !== asked.groups) return;
        groupProblem = told.answer.type === "refused" ? told.answer.message : null;
        if (told.answer.type === "groups") groups = told.answer.groups;
        break;
    }
    draw();
  }

  const isListed = (versions: readonly EvidenceVersion[]): boolean =>
    versions.some(({ version }) => version === ui.query?.version);

  function emptyQuery(): EvidenceQuery {
    const versions = state.type === "versions" ? state.versions : [];
    const version = ui.query?.version ?? versions.at(-1)?.version ?? "";
    return { version, orderBy: "arrival", descending: false };
  }

  /** Lists anew. A version that is gone gives way to the newest. */
  function ask(given: EvidenceQuery | undefined): void {
    if (state.type !== "versions") return;
    const names = state.versions.map(({ version }) => version);
    const query =
      given && names.includes(given.version)
        ? given
        : { ...emptyQuery(), ...given, version: names.at(-1) ?? "" };
    keep({ ...ui, query });
    [rows, page] = [new RowStore(), null];
    askPage(rows.begin(performance.now()), true);
    askGroups();
    draw();
  }
  function askGroups(): void {
    if (ui.query) post({ type: "groups", id: ++asked.groups, query: ui.query, by: ui.grouping });
  }
  function fetchNext(): void {
    // The first page says whether the query is one at all.
    if (page === null || problem !== null) return;
    const question = rows.next(performance.now());
    if (question) askPage(question, false);
    else if (rows.isWaiting) retry();
  }
  function askPage({ offset, limit, list: name }: Question, isFirst: boolean): void {
    if (ui.query)
      post({ type: "page", id: ++asked.page, query: ui.query, offset, limit, list: name, counts: isFirst });
  }
  /** While an answer is waited for that is no longer looked at, its place may be taken a moment later. */
  let retrying: number | undefined;
  function retry(): void {
    window.clearTimeout(retrying);
    retrying = window.setTimeout(() => fetchNext(), 70);
  }

  function draw(): void {
    const there = state.type === "versions" ? state : undefined;
    message.hidden = there !== undefined;
    again.hidden = save.hidden = !there;
    filters.node.hidden = body.hidden = !there;
    refused.hidden = !there || problem === null;
    refused.textContent = problem ?? "";
    if (state.type === "loading") message.replaceChildren(element("p", "", "Reading the archive…"));
    if (state.type === "empty")
      message.replaceChildren(
        element("p", "cause", state.cause),
        element("p", "", state.advice),
        createButton("Refresh", () => post({ type: "refresh" }), "primary"),
      );
    if (!there || !ui.query) return;
    drawCounts();
    filters.update(ui.query, there.versions, page?.split ?? "selection");
    side.update(ui.grouping, groups, groupProblem);
    list.update(rows, ui.selected);
  }
  function drawCounts(): void {
    const text = countsText(page, ui.query?.search !== undefined, rows);
    if (counts.textContent !== text) counts.textContent = text;
  }

  draw();
  post({ type: "ready" });
}

function countsText(page: EvidenceWindow | null, searching: boolean, rows: RowStore): string {
  if (!page?.counts) return rows.isWaiting ? "Reading…" : "";
  const { total, pass, fail, unknown } = page.counts;
  const outcomes = `${countText(pass)} passed, ${countText(fail)} failed${unknown > 0 ? `, ${countText(unknown)} unknown` : ""}`;
  const found = searching ? (rows.isCounted ? `${countText(rows.rows)} found in ` : "Searching ") : "";
  return `${found}${countText(total)} rollouts: ${outcomes}`;
}

const app = document.getElementById("app");
if (app) start(app);
