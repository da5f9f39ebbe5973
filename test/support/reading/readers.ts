import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { HarnessError } from "../../../server/src/base/errors.ts";

/** For tests: a folder that is removed when the suite ends. */
export function tempFolder(): {
  readonly path: string;
  write(name: string, content: string | Uint8Array): string;
} {
  const path = mkdtempSync(join(tmpdir(), "evotrainer-readers-"));
  after(() => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      writeFileSync(file, content);
      return file;
    },
  };
}

/** For tests: other people's real files below `set` with this ending, or the reason why they are missing. */
export function fixtures(set: string, ending: string): readonly string[] {
  const folder = join(resolve(process.env["EVOTRAINER_FIXTURES"] ?? "../shared/fixtures"), set);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();
}

export const noFixtures = "the real files are not there; name their folder in EVOTRAINER_FIXTURES";

/** For tests: whether a program can be run here. */
export function hasProgram(name: string, ...args: readonly string[]): boolean {
  return spawnSync(name, args.length > 0 ? args : ["--version"]).status === 0;
}

/** For tests: what a program prints, given this input. */
export function runProgram(name: string, args: readonly string[], input?: string | Uint8Array): Buffer {
  const done = spawnSync(name, args, { input: input ?? "", maxBuffer: 1024 ** 3 });
  assert.equal(done.status, 0, `${name}: ${done.stderr.toString()}`);
  return done.stdout;
}

/** For tests: the message with which this work is refused; any other result fails the test. */
export async function refusal(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (e) {
    if (HarnessError.is(e, "badInput")) return e.message;
    throw e;
  }
  throw new assert.AssertionError({ message: "nothing was refused" });
}

/** For tests: damaged input must give a result or a refusal, never another error. */
export async function readsOrRefuses(work: () => unknown): Promise<"read" | "refused"> {
  try {
    await work();
    return "read";
  } catch (e) {
    if (HarnessError.is(e, "badInput")) return "refused";
    throw e;
  }
}

/** For tests: these bytes with some of them changed, cut out, repeated or cut off. */
export function mutated(bytes: Buffer): fc.Arbitrary<Buffer> {
  const at = fc.nat(Math.max(0, bytes.length - 1));
  const change = fc.oneof(
    fc.record({ type: fc.constant("set" as const), at, byte: fc.nat(255) }),
    fc.record({ type: fc.constant("cut" as const), at, length: fc.nat(40) }),
    fc.record({ type: fc.constant("double" as const), at, length: fc.nat(40) }),
    fc.record({ type: fc.constant("end" as const), at }),
  );
  return fc.array(change, { minLength: 1, maxLength: 6 }).map((changes) => {
    let out = Buffer.from(bytes);
    for (const c of changes) {
      const i = Math.min(c.at, out.length);
      if (c.type === "set") {
        if (i < out.length) out[i] = c.byte;
      } else if (c.type === "end") out = out.subarray(0, i);
      else {
        const part = out.subarray(i, i + c.length);
        const rest = out.subarray(i + c.length);
        out = Buffer.concat([out.subarray(0, i), ...(c.type === "double" ? [part, part] : []), rest]);
      }
    }
    return out;
  });
}
