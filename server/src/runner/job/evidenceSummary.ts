import { join } from "node:path";
import { z } from "zod";
import { Rollout, splitNames, type Split } from "../../../../shared/model/rollout.ts";
import { digestFile, type FileDigest } from "../../base/fileDigest.ts";
import { openPlainFile } from "../../base/plainFile.ts";
import { maxLineBytes } from "../../evidence/contract/lines.ts";

/** What a run's evidence files hold, as far as the end of a job is judged by it. */
export interface EvidenceSummary {
  /** Whole rollout lines per split. */
  readonly rollouts: Readonly<Record<Split, number>>;
  /** Items with at least one rollout, per split. */
  readonly items: Readonly<Record<Split, ReadonlySet<string>>>;
  /** How many rollouts each item has at the newest step at which it has any, per split. */
  readonly samples: Readonly<Record<Split, ReadonlyMap<string, number>>>;
  /** Split of the newest rollout: what the trainer was writing last. */
  readonly lastSplit: Split | undefined;
  /** Lines that are not JSON objects with a split and an item, a torn last line included. */
  readonly badLines: number;
  readonly metricsBytes: number;
  readonly bytes: number;
}

export const evidenceFiles = { rollouts: "rollouts.jsonl", metrics: "metrics.jsonl" } as const;

const Head = z.object({
  split: Rollout.shape.split,
  item: Rollout.shape.item,
  step: Rollout.shape.step.optional().catch(undefined),
});

/** Counts the rollouts of each item at the newest step at which it has any. */
class Newest {
  readonly counts = new Map<string, number>();
  readonly #steps = new Map<string, number>();

  add(item: string, step: number): void {
    const before = this.#steps.get(item) ?? -1;
    if (step < before) return;
    this.#steps.set(item, step);
    this.counts.set(item, step > before ? 1 : (this.counts.get(item) ?? 0) + 1);
  }
}

export interface SummaryOptions {
  /** How far a file is read, by its name; to its end where left out. */
  readonly end?: (name: string) => number;
  /** Told what the rollouts' file is, once it was read to its end. */
  readonly onRead?: (digest: FileDigest) => void;
}

/** Reads a run's evidence files as far as needed; missing files count as empty. */
export async function summariseEvidence(
  directory: string,
  { end = () => Infinity, onRead }: SummaryOptions = {},
): Promise<EvidenceSummary> {
  const rollouts = { train: 0, selection: 0, audit: 0 };
  const items = { train: new Set<string>(), selection: new Set<string>(), audit: new Set<string>() };
  const newest = { train: new Newest(), selection: new Newest(), audit: new Newest() };
  let lastSplit: Split | undefined;
  let badLines = 0;
  const onLine = (line: string | undefined): void => {
    const head = line === undefined ? undefined : parseHead(line);
    if (head === undefined) badLines++;
    else {
      rollouts[head.split]++;
      lastSplit = head.split;
      items[head.split].add(head.item);
      if (head.split !== "train") newest[head.split].add(head.item, head.step ?? 0);
    }
  };
  const digest = await readLines(join(directory, evidenceFiles.rollouts), onLine, {
    end: end(evidenceFiles.rollouts),
  });
  if (digest !== undefined) onRead?.(digest);
  const metricsBytes = Math.min(
    await sizeOf(join(directory, evidenceFiles.metrics)),
    end(evidenceFiles.metrics),
  );
  const bytes = metricsBytes + (digest?.bytes ?? 0);
  const samples = {
    train: newest.train.counts,
    selection: newest.selection.counts,
    audit: newest.audit.counts,
  };
  return { rollouts, items, samples, lastSplit, badLines, metricsBytes, bytes };
}

/** Ids of items by the digest of the file that has them: every job of an evolution reads the same few files, twice. */
const knownIds = new Map<string, readonly string[]>();
const mostKnown = { files: 16, ids: 100_000, bytes: 2 ** 26 };

/** Ids of the items of a split file, in its order; lines without an id are passed over. */
export async function readItemIds(path: string): Promise<readonly string[]> {
  const known = await idsByContent(path);
  if (known !== undefined) return known;
  const ids: string[] = [];
  const digest = await readLines(
    path,
    (line) => {
      const value = line === undefined ? undefined : parseObject(line);
      const id = value?.["id"];
      if (typeof id === "string" || typeof id === "number") ids.push(String(id));
    },
    { isFollowed: true },
  );
  if (digest === undefined || digest.bytes >= mostKnown.bytes || ids.length > mostKnown.ids) return ids;
  for (const oldest of knownIds.keys()) {
    if (knownIds.size < mostKnown.files) break;
    knownIds.delete(oldest);
  }
  knownIds.set(digest.sha256, ids);
  return ids;
}

/** To take the digest of a file costs a tenth of making sense of its lines. */
async function idsByContent(path: string): Promise<readonly string[] | undefined> {
  if (knownIds.size === 0) return undefined;
  const digest = await digestFile(path, { isFollowed: true, end: mostKnown.bytes });
  // One that is read no further is another file than the part of it.
  return digest === undefined || digest.bytes >= mostKnown.bytes ? undefined : knownIds.get(digest.sha256);
}

/** Whether the run has written anything that a reader can use: before that, it died in its preparations. */
export function hasEvidence(summary: EvidenceSummary): boolean {
  return summary.metricsBytes > 0 || splitNames.some((split) => summary.rollouts[split] > 0);
}

/** The last `bytes` of a file as text; "" when there is none, and for a link, which may lead to what a job was not to see. */
export async function readTail(path: string, bytes: number): Promise<string> {
  const file = await openPlainFile(path);
  if (file === undefined) return "";
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(bytes, size));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

function parseHead(line: string): z.infer<typeof Head> | undefined {
  const parsed = Head.safeParse(parseObject(line));
  return parsed.success ? parsed.data : undefined;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Calls `onLine` with every line that is not empty; undefined stands for one that is too long. Undefined without a file. */
async function readLines(
  path: string,
  onLine: (line: string | undefined) => void,
  options: { readonly end?: number; readonly isFollowed?: boolean } = {},
): Promise<FileDigest | undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const flush = () => {
    if (bytes > maxLineBytes) onLine(undefined);
    else if (bytes > 0) {
      const line = Buffer.concat(parts).toString("utf8").trim();
      if (line !== "") onLine(line);
    }
    parts = [];
    bytes = 0;
  };
  const add = (part: Buffer, isLast: boolean) => {
    bytes += part.length;
    // What stays for the next piece is copied: this one's memory is used again.
    if (bytes <= maxLineBytes) parts.push(isLast ? part : Buffer.from(part));
    else parts = [];
  };
  const onBytes = (chunk: Buffer): void => {
    let start = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, at), true);
      flush();
      start = at + 1;
    }
    add(chunk.subarray(start), false);
  };
  const digest = await digestFile(path, { ...options, onBytes });
  flush();
  return digest;
}

async function sizeOf(path: string): Promise<number> {
  const file = await openPlainFile(path);
  if (file === undefined) return 0;
  try {
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}
