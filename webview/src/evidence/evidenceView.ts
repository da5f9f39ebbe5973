import type {
  EvidenceGroups,
  EvidenceQuery,
  EvidenceState,
  EvidenceUiState,
  EvidenceVersion,
  EvidenceWindow,
  FromEvidencePanel,
  LabelsSet,
  ToEvidencePanel,
} from "../../../shared/protocol/views/evidence.ts";
import { createButton } from "../shared/button.ts";
import { element } from "../shared/dom.ts";
import { firstId } from "../shared/firstId.ts";
import type { Host } from "../shared/startView.ts";
import { countsText, voidText } from "./countsText.ts";
import { createFilters } from "./filters.ts";
import { foldButton } from "./foldButton.ts";
import { choose, createGroups } from "./groups.ts";
import { RolloutList } from "./list.ts";
import { RowStore, type Question } from "./rowStore.ts";
import { standingParts } from "./standing.ts";

/** While an answer is waited for that is no longer looked at, its place may be taken this much later. */
const retryMs = 70;

/** The evidence: what is listed, in which groups, and the list. */
export class EvidenceView {
  readonly #host: Host<FromEvidencePanel, EvidenceUiState>;
  #state: EvidenceState = { type: "loading" };
  #rows = new RowStore();
  /** What the first page said of all of the list. */
  #page: EvidenceWindow | null = null;
  #groups: EvidenceGroups | null = null;
  #labels: LabelsSet = { type: "labelled" };
  #problem: string | null = null;
  #groupProblem: string | null = null;
  /** Of the last questions; an answer to an earlier one is dropped. */
  readonly #asked = { page: firstId(), groups: firstId() };
  #retrying: number | undefined;

  readonly #header: ReturnType<typeof createHeader>;
  readonly #message = element("section", "message");
  readonly #refused = element("pre", "problem");
  readonly #body = element("div", "body");
  readonly #filters = createFilters((query) => this.#ask(query));
  readonly #list: RolloutList;
  readonly #side = createGroups({
    by: (grouping) => {
      this.#keep({ grouping });
      this.#askGroups();
      this.#draw();
    },
    choose: (by, value) => this.#withQuery((query) => this.#ask(choose(query, by, value))),
  });

  constructor(app: HTMLElement, host: Host<FromEvidencePanel, EvidenceUiState>) {
    this.#host = host;
    this.#header = createHeader({
      refresh: () => {
        host.post({ type: "refresh" });
        this.#withQuery((query) => this.#ask(query));
      },
      save: () => this.#withQuery((query) => host.post({ type: "export", query })),
    });
    this.#message.setAttribute("role", "status");
    this.#refused.setAttribute("role", "alert");
    this.#list = new RolloutList({
      select: ({ rid }) => {
        if (host.ui.selected === rid) return;
        this.#keep({ selected: rid });
        this.#list.update(this.#rows, rid);
      },
      open: (row, beside, at) => {
        this.#keep({ selected: row.rid });
        const { query } = host.ui;
        const of = this.#rows.isCounted ? this.#rows.rows : null;
        const from = query === null ? {} : { from: { query, at, of } };
        host.post({ type: "open", run: row.run, id: row.id, beside, ...from });
      },
      look: () => this.#fetchNext(),
    });
    this.#filters.node.append(foldButton("Groups", this.#side.node).node);
    this.#body.append(this.#side.node, this.#list.node);
    app.replaceChildren(this.#header.node, this.#filters.node, this.#refused, this.#message, this.#body);
    this.#draw();
  }

  receive(told: ToEvidencePanel): void {
    switch (told.type) {
      case "state":
        this.#takeState(told.state);
        break;
      case "reveal": {
        const query = { ...this.#emptyQuery(), ...told.query };
        if (this.#state.type === "versions") this.#ask(query);
        else this.#keep({ query });
        break;
      }
      case "page":
        if (told.id !== this.#asked.page || this.#takePage(told.answer)) return;
        break;
      case "groups":
        if (told.id !== this.#asked.groups) return;
        // The same filter is refused for both; above the list it is said once.
        this.#groupProblem = told.answer.type === "refused" ? told.answer.message : null;
        if (told.answer.type === "groups") ({ groups: this.#groups, labels: this.#labels } = told.answer);
        break;
      case "labelled":
        if (!this.#isShown(told)) return;
        this.#askLabelled();
        return;
    }
    this.#draw();
  }

  #isShown({ version, split }: { readonly version: string; readonly split: string | null }): boolean {
    const { query } = this.#host.ui;
    return query?.version === version && (query.split ?? null) === split;
  }

  /** The rollouts have their labels now: they are read again in their places, unless others may be listed. */
  #askLabelled(): void {
    this.#withQuery((query) => {
      if (this.#page === null || query.label !== undefined || query.where !== undefined) this.#ask(query);
      else {
        this.#rows.askAgain();
        this.#fetchNext();
        this.#askGroups();
      }
    });
  }

  #takeState(state: EvidenceState): void {
    this.#state = state;
    if (state.type !== "versions") return;
    const { query } = this.#host.ui;
    const isListed = state.versions.some(({ version }) => version === query?.version);
    // While a version is trained this comes often: what is being read stays, its groups are counted again. Rows that were refused
    // nobody reads: they may be there now.
    if (this.#page !== null && this.#problem === null && isListed) this.#askGroups();
    else this.#ask(query ?? undefined);
  }

  /** Whether all that has changed is drawn. */
  #takePage(answer: Extract<ToEvidencePanel, { type: "page" }>["answer"]): boolean {
    this.#problem = answer.type === "refused" ? answer.message : null;
    if (answer.type !== "page") {
      this.#rows.giveUp();
      return false;
    }
    if (answer.page.counts) this.#page = answer.page;
    this.#rows.take(answer.page);
    if (this.#page === null) return false;
    this.#drawCounts();
    this.#list.update(this.#rows, this.#host.ui.selected);
    return answer.page.counts === null;
  }

  #keep(part: Partial<EvidenceUiState>): void {
    this.#host.keep({ ...this.#host.ui, ...part });
  }

  #withQuery(act: (query: EvidenceQuery) => void): void {
    const { query } = this.#host.ui;
    if (query) act(query);
  }

  get #versions(): readonly EvidenceVersion[] {
    return this.#state.type === "versions" ? this.#state.versions : [];
  }

  #emptyQuery(): EvidenceQuery {
    const version = this.#host.ui.query?.version ?? this.#versions.at(-1)?.version ?? "";
    return { version, orderBy: "arrival", descending: false };
  }

  /** Lists anew. A version that is gone gives way to the newest. */
  #ask(given: EvidenceQuery | undefined): void {
    if (this.#state.type !== "versions") return;
    const names = this.#state.versions.map(({ version }) => version);
    const query =
      given && names.includes(given.version)
        ? given
        : { ...this.#emptyQuery(), ...given, version: names.at(-1) ?? "" };
    this.#keep({ query });
    [this.#rows, this.#page] = [new RowStore(), null];
    this.#askPage(this.#rows.begin(performance.now()), true);
    this.#askGroups();
    this.#draw();
  }

  #askGroups(): void {
    const by = this.#host.ui.grouping;
    this.#withQuery((query) => this.#host.post({ type: "groups", id: ++this.#asked.groups, query, by }));
  }

  #fetchNext(): void {
    // The first page says whether the query is one at all.
    if (this.#page === null || this.#problem !== null) return;
    const question = this.#rows.next(performance.now());
    if (question) this.#askPage(question, false);
    else if (this.#rows.isWaiting) {
      window.clearTimeout(this.#retrying);
      this.#retrying = window.setTimeout(() => this.#fetchNext(), retryMs);
    }
  }

  #askPage({ offset, limit, list }: Question, counts: boolean): void {
    this.#withQuery((query) =>
      this.#host.post({ type: "page", id: ++this.#asked.page, query, offset, limit, list, counts }),
    );
  }

  #draw(): void {
    const there = this.#state.type === "versions" ? this.#state : undefined;
    const { query, grouping, selected } = this.#host.ui;
    this.#drawMessage();
    this.#header.show(there !== undefined);
    this.#filters.node.hidden = this.#body.hidden = !there;
    this.#refused.hidden = !there || this.#problem === null;
    this.#refused.textContent = this.#problem ?? "";
    if (!there || !query) return;
    this.#header.stand(standingParts(there.versions.find(({ version }) => version === query.version)));
    this.#drawCounts();
    this.#filters.update(query, there.versions, this.#page?.split ?? "selection");
    const problem = this.#groupProblem === this.#problem ? null : this.#groupProblem;
    this.#side.update(grouping, {
      groups: this.#groupProblem === null ? this.#groups : null,
      labels: this.#labels,
      problem,
    });
    this.#list.update(this.#rows, selected);
  }

  #drawMessage(): void {
    const [message, state] = [this.#message, this.#state];
    message.hidden = state.type === "versions";
    if (state.type === "loading") message.replaceChildren(element("p", "", "Reading the archive…"));
    if (state.type === "empty")
      message.replaceChildren(
        element("p", "cause", state.cause),
        element("p", "", state.advice),
        createButton("Refresh", () => this.#host.post({ type: "refresh" }), "primary"),
      );
  }

  /** Of a version that is not valid nobody says that its other rollouts are to be trusted. */
  #isValid(): boolean {
    const shown = this.#versions.find(({ version }) => version === this.#host.ui.query?.version);
    return shown?.standing?.distrust === undefined;
  }

  #drawCounts(): void {
    const { notValid = 0, total = 0 } = this.#page?.counts ?? {};
    const text = countsText({
      ...{ page: this.#page, query: this.#host.ui.query, versions: this.#versions },
      found: this.#rows.isCounted ? this.#rows.rows : null,
      isReading: this.#rows.isWaiting,
    });
    const { invalidating } = this.#rows;
    const isLooked =
      total > 0 && this.#groups !== null && this.#labels.type === "labelled" && this.#isValid();
    this.#header.count(`${text}${voidText(notValid, this.#groups, { invalidating, isLooked })}`);
  }
}

function createHeader(on: { readonly refresh: () => void; readonly save: () => void }): {
  readonly node: HTMLElement;
  readonly show: (isThere: boolean) => void;
  readonly count: (text: string) => void;
  readonly stand: (parts: readonly Node[]) => void;
} {
  const node = element("header", "top");
  const counts = element("p", "counts");
  counts.setAttribute("role", "status");
  const again = createButton("Refresh", on.refresh, "secondary");
  const save = createButton("Export…", on.save, "secondary");
  save.title = "Write the rollouts of this list into a file, one line of JSON each";
  const standing = element("p", "standing");
  node.append(element("h1", "", "Evidence"), standing, save, again, counts);
  return {
    node,
    show: (isThere) => {
      again.hidden = save.hidden = !isThere;
    },
    count: (text) => {
      if (counts.textContent !== text) counts.textContent = text;
    },
    stand: (parts) => standing.replaceChildren(...parts),
  };
}
