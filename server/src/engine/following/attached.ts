import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { codeOf } from "../../base/errors.ts";
import { privateFolder, writeFileAtomic } from "../../base/files.ts";
import { withEngine } from "../owner/withEngine.ts";
import type { AllServices } from "../../../../shared/protocol/services.ts";
import { placeOf } from "../workspace/place.ts";
import { completenessOf, type Completeness } from "../attach/completeness.ts";
import type { FollowedFolder, SeenFile } from "./followedFolder.ts";
import type { Target } from "./target.ts";

type Found = AllServices["evidence.follow"]["result"];
export type FollowChoices = Omit<AllServices["evidence.follow"]["params"], "paths" | "name">;

/** How a followed run stands. */
export interface RunNow extends Found {
  readonly newest: Completeness | null;
  /** Alarms that hold, with the step at which each was first seen; null before there is a step. */
  readonly since: Readonly<Record<string, number | null>>;
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
  #last: Found | undefined;
  #wasComplete = true;

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
   * Looks once. Gives how the run stands when something changed, and undefined when nothing did.
   * @throws HarnessError those of the folder, of the archive and of evidence.follow
   */
  async look(signal: AbortSignal): Promise<RunNow | undefined> {
    const files = await this.#folder.look(signal);
    const paths = this.#toRead(files);
    const before = this.#last === undefined ? undefined : this.#newest(this.#last, files);
    if (paths.length === 0 && this.#last !== undefined) {
      // A step becomes complete because nothing comes.
      const wasComplete = this.#wasComplete;
      this.#wasComplete = before?.isComplete ?? true;
      return this.#wasComplete === wasComplete ? undefined : this.#now(this.#last, files);
    }
    const version = this.#choices.version ?? this.#state?.version;
    const found = await withEngine(placeOf(this.#root), (engine) =>
      engine.request(
        "evidence.follow",
        { ...this.#choices, ...(version === undefined ? {} : { version }), paths, name: this.#target.name },
        { signal },
      ),
    );
    this.#note(files, paths, found);
    await this.#keep(found);
    const now = this.#now(found, files);
    this.#wasComplete = now.newest?.isComplete ?? true;
    return now;
  }

  close(): void {
    this.#folder.close();
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
    this.#last = found;
  }

  #newest({ steps, newestFiles }: Found, files: readonly SeenFile[]): Completeness | undefined {
    const of = new Set(newestFiles);
    const quiet = files.filter(({ path }) => of.has(path)).map(({ quietFor }) => quietFor);
    return completenessOf(steps, quiet.length === 0 ? null : Math.min(...quiet));
  }

  #now(found: Found, files: readonly SeenFile[]): RunNow {
    return { ...found, newest: this.#newest(found, files) ?? null, since: this.#state?.alarms ?? {} };
  }

  /** An alarm keeps the step at which it was first seen, as long as it holds. */
  async #keep({ version, alarms, steps, metrics }: Found): Promise<void> {
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
