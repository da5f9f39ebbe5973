import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Mutant } from "./mutant.ts";

const limitMilliseconds = 15 * 60_000;

export interface Ran {
  readonly passed: boolean;
  /** The last lines of what it printed. */
  readonly tail: string;
}

/** A copy of the tree in which guards are taken out, so that the tree itself is never without them. */
export class Workplace {
  readonly #root: string;
  /** Whether dist/ was built from the tree as it is. */
  #isBuilt = false;

  constructor(root: string) {
    this.#root = mkdtempSync(join(tmpdir(), "evotrainer-mutants-"));
    const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
      cwd: root,
      encoding: "utf8",
    });
    for (const file of listed.split("\0")) {
      if (file === "" || !existsSync(join(root, file))) continue;
      mkdirSync(dirname(join(this.#root, file)), { recursive: true });
      cpSync(join(root, file), join(this.#root, file));
    }
    symlinkSync(join(root, "node_modules"), join(this.#root, "node_modules"));
    // Some tests ask git about the repository that they stand in.
    execFileSync("git", ["clone", "--quiet", "--bare", root, join(this.#root, ".git")]);
    execFileSync("git", ["config", "core.bare", "false"], { cwd: this.#root });
  }

  /** Runs the tests of a mutant with its guard, or without it. */
  async run({ file, find, replace, tests, built = false }: Mutant, guarded: boolean): Promise<Ran> {
    const path = join(this.#root, file);
    const text = readFileSync(path, "utf8");
    try {
      if (!guarded) writeFileSync(path, text.split(find).join(replace));
      if (built && !(guarded && this.#isBuilt)) {
        const made = await program(this.#root, ["scripts/build.mjs"]);
        if (!made.passed) return guarded ? made : { passed: false, tail: `It does not build. ${made.tail}` };
        this.#isBuilt = guarded;
      }
      return await program(this.#root, [
        "node_modules/mocha/bin/mocha.js",
        "--bail",
        // What a missing guard lets begin, such as the reading of endless files, need not come to its end.
        "--exit",
        "--forbid-only",
        ...tests,
      ]);
    } finally {
      writeFileSync(path, text);
    }
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

function program(cwd: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-20_000);
      });
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    }, limitMilliseconds);
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ passed: code === 0, tail: said.trimEnd().split("\n").slice(-12).join("\n") });
    });
  });
}
