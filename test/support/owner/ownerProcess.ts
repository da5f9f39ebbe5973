import assert from "node:assert/strict";
import { buildSync } from "esbuild";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { readOwnerFile } from "../../../server/src/engine/workspace/ownerFile.ts";
import { placeOf, type EnginePlace } from "../../../server/src/engine/workspace/place.ts";
import { patience } from "../base/patience.ts";

export const serviceNames = ["who", "wait", "waitOnce", "size", "rollouts"] as const;
type Name = (typeof serviceNames)[number];

const Said = z.object({
  open: z.literal(true).optional(),
  done: z.literal(true).optional(),
  id: z.int().optional(),
  began: z.literal(true).optional(),
  result: z.unknown().optional(),
  error: z.object({ reason: z.string(), message: z.string() }).optional(),
});
type Said = z.infer<typeof Said>;

/** For tests: another process that uses an archive. */
export interface TestProcess {
  readonly pid: number;
  /** Sends a request; `began` resolves when the service reports progress, `answer` when the request is answered. */
  ask(name: Name, params?: object): { readonly began: Promise<Said>; readonly answer: Promise<Said> };
  /** The pid of the process that answers its requests. */
  owner(): Promise<number>;
  /** Waits for the first line that says this. */
  said(what: "open" | "done" | "error"): Promise<Said>;
  /** Lets the process end normally. */
  end(): void;
  kill(): Promise<void>;
  readonly exited: Promise<unknown>;
}

const Pid = z.object({ pid: z.int() });

let bundle: string | undefined;

/** The child as one file, which starts much faster; it has to be inside the repository, where it finds DuckDB. */
function bundledChild(): string {
  if (bundle !== undefined) return bundle;
  const repository = fileURLToPath(new URL("../../..", import.meta.url));
  bundle = join(repository, "out", "test", `ownerChild-${process.pid}.cjs`);
  buildSync({
    entryPoints: [fileURLToPath(new URL("./ownerChild.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["@duckdb/node-api", "@duckdb/node-bindings"],
    logOverride: { "empty-import-meta": "silent" },
    outfile: bundle,
    logLevel: "error",
  });
  const made = bundle;
  process.on("exit", () => rmSync(made, { force: true }));
  return bundle;
}

/** For tests: starts a process for `place`; `env` adds to its environment. */
export function startProcess(
  mode: "verb" | "evolve" | "stranger",
  place: EnginePlace,
  env: Readonly<Record<string, string>> = {},
): TestProcess {
  const child = spawn(process.execPath, [bundledChild(), mode, JSON.stringify(place)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const exited = once(child, "close");
  const heard: Said[] = [];
  const waiting: { matches: (said: Said) => boolean; resolve: (said: Said) => void }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    const said = Said.parse(JSON.parse(line));
    heard.push(said);
    for (const w of waiting) if (w.matches(said)) w.resolve(said);
  });
  const hear = (matches: (said: Said) => boolean): Promise<Said> => {
    const before = heard.find(matches);
    if (before !== undefined) return Promise.resolve(before);
    return Promise.race([
      new Promise<Said>((resolve) => waiting.push({ matches, resolve })),
      exited.then(() => {
        const late = heard.find(matches);
        if (late !== undefined) return late;
        throw new Error(`The process ended without saying so; it said ${JSON.stringify(heard)}.`);
      }),
    ]);
  };
  let ids = 0;
  const ask: TestProcess["ask"] = (name, params = {}) => {
    const id = ++ids;
    child.stdin.write(`${JSON.stringify({ id, name, params })}\n`);
    const began = hear((s) => s.id === id && s.began === true);
    const answer = hear((s) => s.id === id && s.began === undefined);
    began.catch(() => undefined);
    answer.catch(() => undefined);
    return { began, answer };
  };
  assert.ok(child.pid);
  child.stdin.on("error", () => undefined);
  return {
    pid: child.pid,
    ask,
    owner: async () => {
      const { result, error } = await ask("who").answer;
      assert.equal(error, undefined);
      return Pid.parse(result).pid;
    },
    said: (what) => hear((s) => s[what] !== undefined && s.id === undefined),
    end: () => child.stdin.end(),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    exited,
  };
}

/** For tests: an empty project folder with the path of its archive, and the processes that a test started there. */
export async function makePlace(): Promise<{
  readonly place: EnginePlace;
  file(name: string): string;
  start(
    ...args: Parameters<typeof startProcess> extends [infer M, unknown, ...infer R] ? [M, ...R] : never
  ): TestProcess;
  remove(): Promise<void>;
}> {
  const root = await mkdtemp(join(tmpdir(), "evotrainer-owner-"));
  const place = placeOf(root);
  await mkdir(place.evidenceRoot, { recursive: true });
  const started: TestProcess[] = [];
  return {
    place,
    file: (name) => join(root, name),
    start(mode, ...rest) {
      const child = startProcess(mode, place, ...rest);
      started.push(child);
      return child;
    },
    async remove() {
      for (const child of started) await child.kill();
      // The socket of a killed owner is outside the folder, and no next owner will remove it.
      const left = await readOwnerFile(place.archive);
      if (left !== undefined) await rm(left.address, { force: true });
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** For tests: polls until `holds` is true, and fails with `what` if that takes more than 20 s on a quiet machine. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000 * patience; Date.now() < end;) {
    if (await holds()) return;
    await delay(10);
  }
  assert.fail(`${what}, not within ${20 * patience} s`);
}
