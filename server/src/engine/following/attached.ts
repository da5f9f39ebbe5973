import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { codeOf } from "../../base/errors.ts";
import { privateFolder, writeFileAtomic } from "../../base/files.ts";
import { withEngine } from "../owner/withEngine.ts";
import type { LabelByPeople } from "../../../../shared/protocol/results/people.ts";
import type { AllServices } from "../../../../shared/protocol/services.ts";
import { placeOf } from "../workspace/place.ts";
import { completenessOf, type Completeness } from "../attach/completeness.ts";
import type { FollowedFolder, SeenFile } from "./followedFolder.ts";
import type { Target } from "./target.ts";

type Found = AllServices["evidence.follow"]["result"];
type Totals = AllServices["evidence.followTotals"]["result"];
export type FollowChoices = Omit<AllServices["evidence.follow"]["params"], "paths" | "name">;
type TotalsParams = AllServices["evidence.followTotals"]["params"];

/** How a followed run stands. */
export interface RunNow extends Found, Totals {
  /**
   * Whether alarms, labels over groups and the comparison are not of these rollouts yet, but of those of an earlier look. They
   * are computed over all rollouts, which may take longer than it takes for the next ones to come.
   */
  readonly isBehind: boolean;
  readonly newest: Completeness | null;
  /** Alarms that hold, with the step at which each was first seen; null before there is a step. */
  readonly since: Readonly<Record<string, number | null>>;
  /** What people said of its labels; absent where nobody answered about one of them. */
  readonly people?: readonly LabelByPeople[];
}

/** What came of a look at the archive. */
interface Brought {
  readonly found: Found;
  readonly totals: Totals;
  readonly people: readonly LabelByPeople[];
}

/** How a look is stopped, and told of. */
interface Watched {
  readonly signal: AbortSignal;
  readonly onProgress: ((message: string) => void) | undefined;
}

const State = z.object({
  target: z.string(),
  version: z.string(),
  alarms: z.record(z.string(), z.number().nullable()),
});
type State = z.infer<typeof State>;

/**
 * A run of somebody else that is followed: what it writes goes into the archive of a folder here, under one version. Where it
 * stopped it goes on, after a restart too. The archive is taken only while something new comes in.
 */
export class Attached {
  readonly #root: string;
  readonly #target: Target;
  readonly #choices: FollowChoices;
  readonly #folder: FollowedFolder;
  /** Stamps of the files that are in the archive. */
  readonly #taken = new Map<string, string>();
  /** Files that could not be read: once more at the next look, and when a file beside them changes. */
  #unread = new Set<string>();
  #once = new Set<string>();
  #state: State | undefined;
  #last: Brought | undefined;
  #wasComplete = true;
  /** Whether something came in that the totals are not of. */
  #isBehind = false;
  /** The totals that are computed beside the looks, and what came of them, until the next look takes it. */
  #asked: Promise<void> | undefined;
  #came: { readonly totals: Totals } | { readonly failure: unknown } | undefined;
  /** When totals may be asked for again: then as long has passed as they took. */
  #askFrom = 0;

  private constructor(root: string, target: Target, choices: FollowChoices, state: State | undefined) {
    this.#root = root;
    this.#target = target;
    this.#choices = choices;
    this.#state = state;
    this.#folder = target.open();
  }

  static async open(root: string, target: Target, choices: FollowChoices): Promise<Attached> {
    await privateFolder(target.stateFolder);
    return new Attached(root, target, choices, await readState(target));
  }

  /**
   * Looks once. Gives how the run stands when something changed, and undefined when nothing did. New rollouts are labelled then.
   * What is computed over all of them comes with a later look; only the first look waits for it.
   * @throws HarnessError those of the folder, of the archive, of evidence.follow and of evidence.followTotals
   */
  async look(signal: AbortSignal, onProgress?: (message: string) => void): Promise<RunNow | undefined> {
    const files = await this.#folder.look(signal);
    const paths = this.#toRead(files);
    const changed = (await this.#takeTotals()) || paths.length > 0 || this.#last === undefined;
    const { found, totals, people } =
      this.#last === undefined || paths.length > 0
        ? await this.#bringIn(files, paths, { signal, onProgress })
        : this.#last;
    if (this.#isBehind) this.#askTotals(found, signal);
    // A step becomes complete because nothing comes.
    const newest = this.#newest(found, files);
    const wasComplete = this.#wasComplete;
    this.#wasComplete = newest?.isComplete ?? true;
    if (!changed && this.#wasComplete === wasComplete) return undefined;
    return {
      ...found,
      ...totals,
      labels: [...found.labels, ...totals.labels].sort(moreFrequent),
      notes: [...totals.notes, ...found.notes],
      isBehind: this.#isBehind || this.#asked !== undefined,
      newest: newest ?? null,
      since: this.#state?.alarms ?? {},
      ...(people.length === 0 ? {} : { people }),
    };
  }

  /** Settles when totals are there that were asked for, so that a look has something to say; undefined where none were. */
  get totalsCome(): Promise<void> | undefined {
    return this.#asked;
  }

  /** Ends it. The signal of the looks must be aborted before, or the last totals are waited for. */
  async close(): Promise<void> {
    this.#folder.close();
    await this.#asked;
  }

  async #bringIn(
    files: readonly SeenFile[],
    paths: readonly string[],
    { signal, onProgress }: Watched,
  ): Promise<Brought> {
    const version = this.#choices.version ?? this.#state?.version;
    const brought = await withEngine(placeOf(this.#root), async (engine) => {
      const found = await engine.request(
        "evidence.follow",
        {
          ...this.#choices,
          ...(version === undefined ? {} : { version }),
          paths: [...paths],
          name: this.#target.name,
        },
        { signal, progress: ({ message }) => onProgress?.(message) },
      );
      const totals =
        this.#last?.totals ??
        (await engine.request("evidence.followTotals", this.#totalsOf(found), { signal }));
      const labels = [...found.labels, ...totals.labels].map(({ name }) => name);
      const { with: files } = this.#choices;
      const asked = { labels, ...(files === undefined ? {} : { with: files }) };
      const { people } = await engine.request("rollouts.people", asked, { signal });
      return { found, totals, people };
    });
    this.#note(files, paths, brought.found);
    this.#isBehind = this.#last !== undefined;
    this.#last = brought;
    await this.#keep(brought);
    return brought;
  }

  #totalsOf({ version, split }: Found): TotalsParams {
    const { compare, with: files } = this.#choices;
    return {
      version,
      // What is looked at is never the audit split.
      split: split === "audit" ? null : split,
      ...(compare === undefined ? {} : { compare }),
      ...(files === undefined ? {} : { with: files }),
    };
  }

  /** Has the totals computed beside the looks: labels of what comes meanwhile do not wait for them. */
  #askTotals(found: Found, signal: AbortSignal): void {
    if (this.#asked !== undefined || this.#came !== undefined || performance.now() < this.#askFrom) return;
    this.#isBehind = false;
    const begun = performance.now();
    this.#asked = withEngine(placeOf(this.#root), (engine) =>
      engine.request("evidence.followTotals", this.#totalsOf(found), { signal }),
    ).then(
      (totals) => {
        this.#came = { totals };
        this.#settled(begun);
      },
      (failure: unknown) => {
        this.#came = { failure };
        this.#isBehind = true;
        this.#settled(begun);
      },
    );
  }

  #settled(begun: number): void {
    const ended = performance.now();
    this.#askFrom = ended + (ended - begun);
    this.#asked = undefined;
  }

  /** Whether totals came since the last look. @throws what made them fail */
  async #takeTotals(): Promise<boolean> {
    const came = this.#came;
    this.#came = undefined;
    if (came === undefined || this.#last === undefined) return false;
    if ("failure" in came) throw came.failure;
    this.#last = { ...this.#last, totals: came.totals };
    await this.#keep(this.#last);
    return true;
  }

  #toRead(files: readonly SeenFile[]): string[] {
    const changed = files.filter(({ path, stamp }) => this.#taken.get(path) !== stamp);
    const folders = new Set(changed.map(({ path }) => dirname(path)));
    const again = files.filter(
      ({ path, stamp }) =>
        this.#taken.get(path) === stamp &&
        (this.#once.has(path) || (this.#unread.has(path) && folders.has(dirname(path)))),
    );
    return [...changed, ...again].map(({ path }) => path);
  }

  /** What was read is not read again until it changes; what could not be read may be so once its neighbours are there. */
  #note(files: readonly SeenFile[], paths: readonly string[], found: Found): void {
    const read = new Set(paths);
    for (const { path, stamp } of files) if (read.has(path)) this.#taken.set(path, stamp);
    const refused = found.refused.map(({ path }) => path).filter((path) => !this.#once.has(path));
    this.#unread = new Set([
      ...[...this.#unread].filter((path) => !read.has(path)),
      ...found.refused.map(({ path }) => path),
      ...found.unrecognised.map(({ path }) => path),
    ]);
    this.#once = new Set(refused);
  }

  #newest({ steps, newestFiles }: Found, files: readonly SeenFile[]): Completeness | undefined {
    const of = new Set(newestFiles);
    const quiet = files.filter(({ path }) => of.has(path)).map(({ quietFor }) => quietFor);
    return completenessOf(steps, quiet.length === 0 ? null : Math.min(...quiet));
  }

  /** An alarm keeps the step at which it was first seen, as long as it holds. */
  async #keep({ found: { version, steps, metrics }, totals: { alarms } }: Brought): Promise<void> {
    const step =
      steps.at(-1)?.step ?? metrics.reduce<number | null>((m, v) => Math.max(m ?? 0, v.step), null);
    const before = this.#state?.alarms ?? {};
    const state: State = {
      target: this.#target.shown,
      version,
      alarms: Object.fromEntries(
        alarms.map(({ name }) => [name, Object.hasOwn(before, name) ? (before[name] ?? null) : step]),
      ),
    };
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    await writeFileAtomic(stateFile(this.#target), `${JSON.stringify(state)}\n`, { mode: 0o600 });
  }
}

type Label = Found["labels"][number];

/** An order of labels: the most frequent first. */
const moreFrequent = (a: Label, b: Label): number =>
  b.labelled / b.of - a.labelled / a.of || (a.name < b.name ? -1 : 1);

const stateFile = ({ stateFolder }: Target): string => join(stateFolder, "attached.json");

async function readState(target: Target): Promise<State | undefined> {
  try {
    return State.parse(JSON.parse(await readFile(stateFile(target), "utf8")));
  } catch (e) {
    // Without it the version is found by the files that the archive has.
    if (codeOf(e) === undefined || codeOf(e) === "ENOENT") return undefined;
    throw e;
  }
}
