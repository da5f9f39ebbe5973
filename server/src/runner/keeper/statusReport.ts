import { factsOf, isJobEntry, type JobFacts } from "../job/jobDirectory.ts";
import type { JobEntry } from "../job/jobEnd.ts";

/** A file that grows while a job runs. `id` changes when another file takes its name. */
export interface JobFile {
  readonly size: number;
  readonly id: string;
}

/** What one `keeper.sh status` said. */
export interface StatusReport {
  /** Time of the machine that was asked. */
  readonly now: Date;
  readonly jobs: ReadonlyMap<string, JobFacts>;
  /** Evidence and logs by job and name. */
  readonly files: ReadonlyMap<string, ReadonlyMap<string, JobFile>>;
}

/** Reads the answer of `keeper.sh status`; undefined when it is not whole. Lines that mean nothing are passed over. */
export function parseStatusReport(text: string): StatusReport | undefined {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith("evotrainer-status 2 "));
  const end = lines.lastIndexOf("evotrainer-end");
  if (start < 0 || end < start) return undefined;
  const now = new Date(Number(/^\S+ 2 (\d{1,12}) /.exec(lines[start] ?? "")?.[1] ?? 0) * 1000);
  const entries = new Map<string, Map<string, JobEntry>>();
  const files = new Map<string, Map<string, JobFile>>();
  let id = "";
  for (const line of lines.slice(start + 1, end)) {
    const [, verb = "", rest = ""] = /^(\S+) (.*)$/.exec(line) ?? [];
    if (verb === "job") {
      id = rest;
      entries.set(id, new Map([["job", nothing]]));
      files.set(id, new Map<string, JobFile>());
    } else if (verb === "has") {
      const [, name = "", content = ""] = /^(\S+) ?(.*)$/.exec(rest) ?? [];
      if (isJobEntry(name)) entries.get(id)?.set(name, { line: content.trimEnd(), modified: undefined });
    } else if (verb === "file") addFile(rest, entries.get(id), files.get(id));
  }
  return { now, jobs: new Map([...entries].map(([job, own]) => [job, factsOf(own)])), files };
}

const nothing: JobEntry = { line: "", modified: undefined };

function addFile(
  rest: string,
  entries: Map<string, JobEntry> | undefined,
  files: Map<string, JobFile> | undefined,
): void {
  const [, time, size, inode = "", name = ""] = /^(\d{1,12}) (\d{1,18}) (\S+) (\S+)$/.exec(rest) ?? [];
  if (time === undefined) return;
  const modified = new Date(Number(time) * 1000);
  if (isJobEntry(name)) entries?.set(name, { line: entries.get(name)?.line ?? "", modified });
  else files?.set(name, { size: Number(size), id: inode });
}
