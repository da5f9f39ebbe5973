import * as z from "zod";
import {
  evidenceProtocol,
  EvidenceUiState,
  ToEvidencePanel,
  type EvidenceGroups,
  type EvidencePage,
  type EvidenceQuery,
  type EvidenceRow,
  type EvidenceState,
  type EvidenceVersion,
  type FromEvidencePanel,
} from "../../../shared/protocol/evidence.ts";
import { element } from "../shared/dom.ts";
import { connectHost } from "../shared/host.ts";
import { countText } from "../shared/numbers.ts";
import { createButton, registerToolkit } from "../shared/toolkit.ts";
import "../shared/base.css";
import "./evidence.css";
import { createFilters } from "./filters.ts";
import { choose, createGroups } from "./groups.ts";
import { createList } from "./list.ts";

// The strict policy of the page forbids code from texts; without this zod tries once and the console shows it.
z.config({ jitless: true });

type Unsent<T> = T extends unknown ? Omit<T, "protocol"> : never;

function start(app: HTMLElement): void {
  registerToolkit();
  let state: EvidenceState = { type: "loading" };
  let rows: readonly EvidenceRow[] = [];
  let page: EvidencePage | null = null;
  let groups: EvidenceGroups | null = null;
  let problem: string | null = null;
  let groupProblem: string | null = null;
  /** Of the last questions; an answer to an earlier one is dropped. */
  const asked = { page: 0, groups: 0 };
  let waiting = false;

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
  header.append(title, counts, again);
  const message = element("section", "message");
  message.setAttribute("role", "status");
  const refused = element("pre", "problem");
  refused.setAttribute("role", "alert");
  const filters = createFilters((query) => ask(query));
  const list = createList({
    select: (rid) => {
      keep({ ...ui, selected: rid });
      draw();
    },
    open: (row, beside) => {
      keep({ ...ui, selected: row.rid });
      post({ type: "open", run: row.run, id: row.id, beside });
    },
    nearEnd: () => more(),
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
        waiting = false;
        problem = told.answer.type === "refused" ? told.answer.message : null;
        if (told.answer.type === "page") {
          page = told.answer.page;
          rows = [...rows, ...page.rollouts];
        }
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
    [rows, page, waiting] = [[], null, true];
    post({ type: "page", id: ++asked.page, query });
    askGroups();
    draw();
  }
  function askGroups(): void {
    if (ui.query) post({ type: "groups", id: ++asked.groups, query: ui.query, by: ui.grouping });
  }
  function more(): void {
    if (waiting || ui.query === null || page?.next === undefined) return;
    waiting = true;
    post({ type: "page", id: ++asked.page, query: ui.query, cursor: page.next });
  }

  function draw(): void {
    const there = state.type === "versions" ? state : undefined;
    message.hidden = there !== undefined;
    again.hidden = !there;
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
    counts.textContent = countsText(page, ui.query.search !== undefined, waiting);
    filters.update(ui.query, there.versions, page?.split ?? "selection");
    side.update(ui.grouping, groups, groupProblem);
    list.update(rows, ui.selected, page?.next !== undefined);
  }

  draw();
  post({ type: "ready" });
}

function countsText(page: EvidencePage | null, searching: boolean, waiting: boolean): string {
  if (!page) return waiting ? "Reading…" : "";
  const { total, pass, fail, unknown } = page;
  const outcomes = `${countText(pass)} passed, ${countText(fail)} failed${unknown > 0 ? `, ${countText(unknown)} unknown` : ""}`;
  return `${countText(total)} rollouts${searching ? " searched" : ""}: ${outcomes}`;
}

const app = document.getElementById("app");
if (app) start(app);
