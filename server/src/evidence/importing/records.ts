import type { Rollout, Split } from "../../../../shared/model/rollout.ts";
import { messageOf } from "../../base/errors.ts";
import { Refusal, type Adapter, type Draft, type ForeignFile } from "../adapters/parts/adapter.ts";
import { decideBy, type Decide } from "./decide.ts";
import { duplicateReason } from "../contract/validateFile.ts";
import { SampleNumbers } from "./groups.ts";
import type { ImportBatch, Progress } from "./importBatch.ts";
import type { ImportCounts, ImportRun } from "./importRun.ts";
import { Stems } from "./stems.ts";
import { toRollout } from "./toRollout.ts";
import { keyOf, usedIds } from "../ingest/usedIds.ts";

interface Pending {
  readonly progress: Progress;
  readonly line: number;
  readonly offset: number;
  readonly rollout: Rollout;
}

interface At {
  readonly line: number;
  readonly offset: number;
  raw(): string;
  readonly nonFinite: number;
}

interface Current {
  readonly adapter: Adapter;
  readonly progress: Progress;
  readonly run: string;
  readonly split: Split;
  readonly stem: string;
  readonly decide: Decide | undefined;
}

const pendingRows = 2048;
const pendingChars = 8 * 1024 * 1024;

/**
 * Turns drafts into rows: names them, refuses re-used ids, and hands them to the batch. Ids are looked up for many
 * records at once, so some wait here; nothing is committed while any does.
 */
export class Records {
  readonly #run: ImportRun;
  readonly #batch: ImportBatch;
  readonly #counts: ImportCounts;
  readonly #samples: SampleNumbers;
  readonly #stems: Stems;
  readonly #uncommitted = new Set<string>();
  #pending: Pending[] = [];
  #chars = 0;
  #current: Current | undefined;

  constructor(run: ImportRun, batch: ImportBatch, counts: ImportCounts) {
    this.#run = run;
    this.#batch = batch;
    this.#counts = counts;
    this.#samples = new SampleNumbers(run.store);
    this.#stems = new Stems(run.store);
  }

  /** Whether `settle` should be called before more comes. */
  get full(): boolean {
    return this.#pending.length >= pendingRows || this.#chars >= pendingChars || this.#batch.full;
  }

  /** What comes next is of this file; it goes onto the list of files unless it is registered there. */
  async begin(file: ForeignFile, adapter: Adapter, progress: Progress, registered: boolean): Promise<void> {
    const { stem, source } = await this.#stems.of(progress.source);
    progress.source = source;
    // One that a rebuild or a crash left without a row is in the list already.
    if (progress.isNew && !registered) this.#batch.register(source);
    const run = source.run ?? source.path;
    if (adapter.provides === "rollouts") await this.#samples.enter(run);
    const split = source.imported?.split ?? adapter.splitOf?.(file) ?? "selection";
    this.#current = { adapter, progress, run, split, stem, decide: decideBy(source.imported?.passWhen) };
    this.#batch.touch(progress);
  }

  /** Takes in what `produce` gives for one record, or its reason why it gives nothing. */
  attempt(at: At, produce: () => readonly Draft[]): void {
    const { adapter } = this.#here();
    try {
      produce().forEach((draft, i) => {
        this.#add(draft, at, i);
      });
    } catch (e) {
      // Whatever foreign data does to an adapter costs one record.
      const reason = Refusal.is(e) ? e.message : `cannot be read as ${adapter.title}: ${messageOf(e)}`;
      this.refuse({ line: at.line, offset: at.offset, reason, raw: at.raw() });
    }
  }

  refuse(at: { line: number; offset: number; reason: string; raw: string }): void {
    this.#refuse(this.#here().progress, at);
  }

  /** Decides what waits; commits when there is enough. `beforeCommit` brings the file's progress up to date. */
  async settle(beforeCommit?: () => Promise<void>): Promise<void> {
    const used = await usedIds(
      this.#run.store,
      this.#pending.map(({ rollout }) => rollout),
    );
    for (const { progress, line, offset, rollout } of this.#pending) {
      const key = keyOf(rollout);
      if (used.has(key) || this.#uncommitted.has(key)) {
        const reason = duplicateReason(rollout.id, rollout.run);
        this.#refuse(progress, { line, offset, reason, raw: JSON.stringify(rollout).slice(0, 4096) });
      } else {
        this.#uncommitted.add(key);
        this.#batch.addRollout(progress, line, rollout);
        this.#counts.rollouts++;
      }
    }
    this.#pending = [];
    this.#chars = 0;
    if (!this.#batch.full) return;
    await beforeCommit?.();
    await this.commit();
  }

  /** Writes everything that was settled. */
  async commit(): Promise<void> {
    await this.#batch.commit();
    this.#uncommitted.clear();
    this.#samples.committed();
    this.#run.onProgress?.(this.#counts);
  }

  /** Forgets how far groups were numbered, because records were taken out. */
  forgetRuns(): void {
    this.#samples.forget();
  }

  #here(): Current {
    if (this.#current === undefined) throw new Error("No file was begun.");
    return this.#current;
  }

  #add(draft: Draft, at: At, index: number): void {
    const { progress, run, split, stem, decide } = this.#here();
    if (draft.type === "metrics") {
      this.#batch.addMetrics(progress, at.line, draft);
      this.#counts.metrics++;
      return;
    }
    if (draft.type === "score") {
      this.#batch.addScore(progress, at.line, draft);
      this.#counts.scores++;
      return;
    }
    const rollout = toRollout(draft, {
      run,
      split,
      place: `${stem}${at.line}${index === 0 ? "" : `.${index}`}`,
      nextSample: (group, step) => this.#samples.next(run, group, step),
      ...(decide === undefined ? {} : { decide }),
      nonFinite: at.nonFinite,
    });
    this.#pending.push({ progress, line: at.line, offset: at.offset, rollout });
    for (const turn of rollout.turns) this.#chars += turn.text.length;
  }

  #refuse(progress: Progress, at: { line: number; offset: number; reason: string; raw: string }): void {
    this.#batch.refuse(progress, at);
    this.#counts.quarantined++;
    if (this.#counts.problems.length < 100)
      this.#counts.problems.push({ path: progress.source.path, line: at.line, reason: at.reason });
  }
}
