import { isTrusted } from "../../model/isTrusted.ts";
import { verdicts } from "../../words/decisions.ts";
import { isUnconfirmed } from "../../words/stages.ts";
import { decisions, unitSeparator, type LineagePage, type LineageVersion } from "./lineage.ts";

/** One version to be sent, and where it stands. */
export type PlacedVersion = {
  readonly index: number;
  readonly parent: number;
  readonly version: LineageVersion;
};

const alerts = [null, "warning", "critical"] as const;
const oneUnit = (text: string): string =>
  text.includes(unitSeparator) ? text.replaceAll(unitSeparator, " ") : text;

/** The columns of some versions. */
export function pageOf(
  about: Pick<LineagePage, "project" | "domain" | "epoch" | "revision" | "total" | "head" | "rest">,
  rows: readonly PlacedVersion[],
): LineagePage {
  const text = (of: (v: LineageVersion) => string): string =>
    rows.map(({ version }) => oneUnit(of(version))).join(unitSeparator);
  const places = new Map<string, number>();
  for (const { version } of rows)
    for (const { name } of version.labels) if (!places.has(name)) places.set(name, places.size);
  const labels = rows.flatMap(({ version }) => version.labels);
  const under = labels.map((label) => (label.under === undefined ? -1 : (places.get(label.under) ?? -1)));
  return {
    ...about,
    index: rows.map(({ index }) => index),
    parent: rows.map(({ parent }) => parent),
    generation: rows.map(({ version }) => version.generation),
    decision: rows.map(({ version }) => decisions.indexOf(version.decision)),
    score: rows.map(({ version }) => version.score),
    low: rows.map(({ version }) => version.low),
    high: rows.map(({ version }) => version.high),
    difference: rows.map(({ version }) => version.compared?.difference ?? null),
    verdict: rows.map(({ version: { compared } }) => (compared ? verdicts.indexOf(compared.verdict) : -1)),
    at: rows.map(({ version }) => Date.parse(version.at) || 0),
    name: text(({ name }) => name),
    title: text(({ title }) => title),
    reason: text(({ reason }) => reason),
    factor: text(({ factor }) => factor ?? ""),
    author: text(({ author }) => author ?? ""),
    measured: text(({ measured }) => measured),
    oneSeed: rows.flatMap(({ version }, at) => (isUnconfirmed(version) ? [at] : [])),
    claimed: rows.flatMap(({ version }, at) => ((version.claims ?? []).length > 0 ? [at] : [])),
    held: rows.flatMap(({ version }, at) => (version.held === true ? [at] : [])),
    promoted: rows.flatMap(({ version }, at) => (version.promoted ? [at] : [])),
    audits: rows.flatMap(({ version: { audit } }, at) => (audit === null ? [] : [{ at, ...audit }])),
    clean: rows.flatMap(({ version: { cleanScore } }, at) =>
      cleanScore === null ? [] : [{ at, score: cleanScore }],
    ),
    labelNames: [...places.keys()],
    labels: rows.map(({ version }) => version.labels.length),
    label: labels.map(({ name }) => places.get(name) ?? 0),
    rate: labels.map(({ rate }) => (rate === null ? null : Math.round(rate * 1e6) / 1e6)),
    alert: labels.map(({ alert }) => alerts.indexOf(alert)),
    ...(under.some((place) => place >= 0) ? { under } : {}),
    ...(labels.some(({ decided }) => decided)
      ? { decided: labels.flatMap(({ decided }, at) => (decided ? [at] : [])) }
      : {}),
    groups: labels.flatMap(({ over }, at) => (over === "group" ? [at] : [])),
    said: rows.flatMap(({ version: { alias, tags, notes } }, at) =>
      alias === null && tags.length === 0 && notes.length === 0
        ? []
        : [{ at, alias, tags: [...tags], notes: [...notes] }],
    ),
  };
}

const textColumns = ["name", "title", "reason", "factor", "author", "measured"] as const;

type Said = Pick<LineageVersion, "alias" | "tags" | "notes">;
const nothingSaid: Said = { alias: null, tags: [], notes: [] };
const noLabels: LineageVersion["labels"] = [];

/**
 * A lineage as the views hold it: a column for each field, by index. Pages are laid into it as they come, the newest versions
 * first; of a version that has not come `known` is 0.
 */
export class LineageTable {
  project = "";
  domain = "";
  epoch = "";
  revision = 0;
  total = 0;
  head = -1;
  /** Versions that are still on their way. */
  rest = 0;
  known = new Uint8Array(0);
  parent = new Int32Array(0);
  generation = new Int32Array(0);
  decision = new Uint8Array(0);
  score = new Float64Array(0);
  low = new Float64Array(0);
  high = new Float64Array(0);
  difference = new Float64Array(0);
  verdict = new Int8Array(0);
  at = new Float64Array(0);
  oneSeed = new Uint8Array(0);
  claimed = new Uint8Array(0);
  held = new Uint8Array(0);
  promoted = new Uint8Array(0);
  name: string[] = [];
  title: string[] = [];
  reason: string[] = [];
  factor: string[] = [];
  author: string[] = [];
  measured: string[] = [];
  labels: LineageVersion["labels"][] = [];
  readonly said = new Map<number, Said>();
  /** What few versions have, by index. */
  readonly audit = new Map<number, NonNullable<LineageVersion["audit"]>>();
  readonly clean = new Map<number, number>();
  readonly #byName = new Map<string, number>();

  /** Lays a page in; one of another epoch takes the place of everything. */
  apply(page: LineagePage): void {
    if (page.epoch !== this.epoch) this.#clear();
    if (page.total > this.total || page.epoch !== this.epoch) this.#grow(page.total);
    const { project, domain, epoch, revision, total, head, rest } = page;
    Object.assign(this, { project, domain, epoch, revision, total, head, rest });
    const texts = textColumns.map((column) => [this[column], page[column].split(unitSeparator)] as const);
    const [groups, decided] = [new Set(page.groups), new Set(page.decided)];
    let next = 0;
    for (let row = 0; row < page.index.length; row++) {
      const i = page.index[row] ?? -1;
      const count = page.labels[row] ?? 0;
      const from = next;
      next += count;
      if (!Number.isInteger(i) || i < 0 || i >= total) continue;
      this.#layNumbers(page, row, i);
      for (const [column, parts] of texts) column[i] = parts[row] ?? "";
      this.labels[i] = count === 0 ? noLabels : labelsOf(page, from, next, { groups, decided });
      this.#byName.set(this.name[i] ?? "", i);
      this.said.delete(i);
      this.audit.delete(i);
      this.clean.delete(i);
    }
    this.#mark(page);
    for (const { at, ...said } of page.said) this.said.set(page.index[at] ?? -1, said);
  }

  #mark({
    index,
    oneSeed = [],
    claimed = [],
    held = [],
    promoted,
    audits = [],
    clean = [],
  }: LineagePage): void {
    for (const { at, ...audit } of audits) this.audit.set(index[at] ?? -1, audit);
    for (const { at, score } of clean) this.clean.set(index[at] ?? -1, score);
    for (const row of claimed) this.claimed[index[row] ?? -1] = 1;
    for (const row of held) this.held[index[row] ?? -1] = 1;
    for (const row of oneSeed) this.oneSeed[index[row] ?? -1] = 1;
    for (const row of promoted) this.promoted[index[row] ?? -1] = 1;
  }

  #layNumbers(page: LineagePage, row: number, i: number): void {
    this.known[i] = 1;
    const parent = page.parent[row] ?? -1;
    // A parent is made before its child: whatever says otherwise has none, so that no walk goes in circles.
    this.parent[i] = parent < i ? Math.max(-1, parent) : -1;
    this.generation[i] = page.generation[row] ?? 0;
    this.decision[i] = page.decision[row] ?? decisions.length - 1;
    this.score[i] = page.score[row] ?? NaN;
    this.low[i] = page.low[row] ?? NaN;
    this.high[i] = page.high[row] ?? NaN;
    this.difference[i] = page.difference?.[row] ?? NaN;
    this.verdict[i] = page.verdict?.[row] ?? -1;
    this.at[i] = page.at[row] ?? 0;
    this.oneSeed[i] = 0;
    this.claimed[i] = 0;
    this.held[i] = 0;
    this.promoted[i] = 0;
  }

  find(name: string): number | undefined {
    return this.#byName.get(name);
  }

  saidOf(i: number): Said {
    return this.said.get(i) ?? nothingSaid;
  }

  decisionOf(i: number): LineageVersion["decision"] {
    return decisions[this.decision[i] ?? 0] ?? "pending";
  }

  /** How it was found to differ from the version that it was decided against. */
  comparedOf(i: number): LineageVersion["compared"] {
    const verdict = verdicts[this.verdict[i] ?? -1];
    return verdict === undefined ? undefined : { difference: this.difference[i] ?? 0, verdict };
  }

  /** The decision with all that is said beside it. */
  stagedOf(i: number): Pick<LineageVersion, "decision" | "stage" | "claims" | "held"> {
    return {
      decision: this.decisionOf(i),
      stage: this.oneSeed[i] === 1 ? "one_seed" : null,
      // The page has them as part of the reason.
      ...(this.claimed[i] === 1 ? { claims: [this.reason[i] ?? ""] } : {}),
      ...(this.held[i] === 1 ? { held: true as const } : {}),
    };
  }

  /** The score by which a version is ranked; not a number where it has none. */
  counted(i: number): number {
    return isTrusted({ decision: this.decisionOf(i) }) ? (this.score[i] ?? NaN) : (this.clean.get(i) ?? NaN);
  }

  /**
   * Index of the best version that was kept, -1 without one. One that an invalidating label was found in is not kept, and one
   * that is held is not known to be good.
   */
  bestKept(): number {
    let best = -1;
    for (let i = 0; i < this.total; i++) {
      const decision = this.known[i] === 1 ? this.decisionOf(i) : "pending";
      if ((decision !== "keep" && decision !== "merge") || this.held[i] === 1) continue;
      if (this.counted(i) > (best < 0 ? -Infinity : this.counted(best))) best = i;
    }
    return best;
  }

  /** Everything of one version; undefined for one that has not come. */
  version(i: number): LineageVersion | undefined {
    if (this.known[i] !== 1) return undefined;
    const orNull = (x: number | undefined): number | null => (x === undefined || Number.isNaN(x) ? null : x);
    const textOrNull = (text: string | undefined): string | null =>
      text === undefined || text === "" ? null : text;
    const parent = this.parent[i] ?? -1;
    return {
      name: this.name[i] ?? "",
      parent: parent < 0 ? null : (this.name[parent] ?? "…"),
      generation: this.generation[i] ?? 0,
      factor: textOrNull(this.factor[i]),
      author: textOrNull(this.author[i]),
      title: this.title[i] ?? "",
      score: orNull(this.score[i]),
      low: orNull(this.low[i]),
      high: orNull(this.high[i]),
      cleanScore: this.clean.get(i) ?? null,
      audit: this.audit.get(i) ?? null,
      measured: this.measured[i] ?? "",
      compared: this.comparedOf(i),
      ...this.stagedOf(i),
      reason: this.reason[i] ?? "",
      labels: this.labels[i] ?? noLabels,
      promoted: this.promoted[i] === 1,
      ...this.saidOf(i),
      at: new Date(this.at[i] ?? 0).toISOString(),
    };
  }

  #clear(): void {
    this.#byName.clear();
    this.said.clear();
    this.audit.clear();
    this.clean.clear();
    this.total = 0;
    this.known = new Uint8Array(0);
    for (const column of textColumns) this[column] = [];
    this.labels = [];
  }

  #grow(total: number): void {
    const wider = <T extends { set(from: T): void }>(old: T, make: (n: number) => T): T => {
      const made = make(total);
      made.set(old);
      return made;
    };
    const kept = this.known.length;
    const of = <T extends { subarray(a: number, b: number): T }>(array: T): T => array.subarray(0, kept);
    this.known = wider(this.known, (n) => new Uint8Array(n));
    this.parent = wider(of(this.parent), (n) => new Int32Array(n).fill(-1));
    this.generation = wider(of(this.generation), (n) => new Int32Array(n));
    this.decision = wider(of(this.decision), (n) => new Uint8Array(n));
    this.score = wider(of(this.score), (n) => new Float64Array(n).fill(NaN));
    this.low = wider(of(this.low), (n) => new Float64Array(n).fill(NaN));
    this.high = wider(of(this.high), (n) => new Float64Array(n).fill(NaN));
    this.difference = wider(of(this.difference), (n) => new Float64Array(n).fill(NaN));
    this.verdict = wider(of(this.verdict), (n) => new Int8Array(n).fill(-1));
    this.at = wider(of(this.at), (n) => new Float64Array(n));
    this.oneSeed = wider(of(this.oneSeed), (n) => new Uint8Array(n));
    this.claimed = wider(of(this.claimed), (n) => new Uint8Array(n));
    this.held = wider(of(this.held), (n) => new Uint8Array(n));
    this.promoted = wider(of(this.promoted), (n) => new Uint8Array(n));
    // Filled at once: the newest come first, and an array that is written from its end is a slow one.
    for (const column of textColumns)
      this[column] = this[column].concat(Array<string>(total - kept).fill(""));
    this.labels = this.labels.concat(Array<LineageVersion["labels"]>(total - kept).fill(noLabels));
  }
}

function labelsOf(
  page: LineagePage,
  from: number,
  to: number,
  { groups, decided }: { readonly groups: ReadonlySet<number>; readonly decided: ReadonlySet<number> },
): LineageVersion["labels"] {
  const found: LineageVersion["labels"] = [];
  for (let k = from; k < to; k++) {
    const under = page.labelNames[page.under?.[k] ?? -1];
    found.push({
      name: page.labelNames[page.label[k] ?? -1] ?? "",
      rate: page.rate[k] ?? null,
      alert: alerts[page.alert[k] ?? 0] ?? null,
      ...(under === undefined ? {} : { under }),
      ...(decided.has(k) ? { decided: true as const } : {}),
      ...(groups.has(k) ? { over: "group" as const } : {}),
    });
  }
  return found;
}
