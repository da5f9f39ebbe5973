import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { compilePattern, patternProblem } from "../server/src/expression/regex.ts";
import { shippedDiagnostics } from "../server/src/project/library.ts";

interface Loader {
  readonly loadEngine: (file: string, cache: string) => unknown;
  readonly scriptOf: (
    file: string,
    source: Buffer,
    code?: Buffer,
  ) => { readonly cachedDataRejected?: boolean };
  readonly digestOf: (source: Buffer) => Buffer;
}

const root = resolve(import.meta.dirname, "..");
const require = createRequire(import.meta.url);
const loader = require("../server/src/loadEngine.cjs") as Loader;

describe("the loader of the engine", () => {
  it("has the command line refuse a Node that is older than package.json asks for", () => {
    const { engines } = z
      .object({ engines: z.object({ node: z.string() }) })
      .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
    const least = engines.node.replace(">=", "");
    const as = (version: string) =>
      spawnSync(
        process.execPath,
        [
          "-e",
          `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });
          process.argv.push("evotrainer", "--version");
          require("./dist/cli.cjs");`,
        ],
        { cwd: root, encoding: "utf8" },
      );
    for (const version of ["18.20.8", "20.18.3"]) {
      const { status, stdout, stderr } = as(version);
      assert.deepEqual(
        [status, stdout, stderr],
        [2, "", `EvoTrainer needs Node.js ${least} or newer; this is ${version}.\n`],
      );
    }
    for (const version of [`${least}.0`, "22.0.0"]) assert.equal(as(version).status, 0, version);
  });

  it("takes the code that the build kept", () => {
    const source = readFileSync(join(root, "dist/engine.cjs"));
    const kept = readFileSync(join(root, "dist/engine.cache"));
    const digest = loader.digestOf(source);
    assert.ok(kept.subarray(0, digest.length).equals(digest), "the code belongs to this bundle");
    // In a process of its own: what another test tells V8 makes this code one for another V8.
    const program = `
      const { scriptOf } = require("./server/src/loadEngine.cjs");
      const { readFileSync } = require("node:fs");
      const [source, kept] = ["dist/engine.cjs", "dist/engine.cache"].map((file) => readFileSync(file));
      const { cachedDataRejected } = scriptOf("engine.cjs", source, kept.subarray(${digest.length}));
      process.stdout.write(String(cachedDataRejected));`;
    assert.equal(execFileSync(process.execPath, ["-e", program], { cwd: root }).toString(), "false");
  });

  it("finds what the build read in the library of diagnostics, as the sources read it", () => {
    const kept = JSON.parse(readFileSync(join(root, "dist/library/diagnostics.json"), "utf8")) as Record<
      string,
      { spec: unknown }
    >;
    const read = shippedDiagnostics().map(({ path, spec }) => [path.replace("library/", ""), spec] as const);
    assert.deepEqual(
      Object.entries(kept).map(([file, { spec }]) => [file, spec]),
      read,
    );
    assert.equal(
      JSON.stringify(Object.values(kept).map(({ spec }) => spec)),
      JSON.stringify(read.map(([, spec]) => spec)),
    );
  });

  it("need not ask RE2 about the patterns of the library, because the build has", () => {
    const kept = JSON.parse(readFileSync(join(root, "dist/library/patterns.json"), "utf8")) as string[];
    assert.ok(kept.length > 20, "the library has patterns");
    assert.deepEqual(
      kept.filter((pattern) => typeof compilePattern(pattern) === "string"),
      [],
      "RE2 takes each",
    );
    // In a process of its own, because this one has just compiled them.
    const program = `
      const { loadEngine } = require("./dist/loadEngine.cjs");
      loadEngine().libraryPatterns().then((text) => process.stdout.write(text));`;
    const compiledNow = execFileSync(process.execPath, ["-e", program], { cwd: root }).toString();
    assert.deepEqual(JSON.parse(compiledNow), [], "a process compiles none of them to check the library");
    assert.match(patternProblem("(") ?? "", /^Not a pattern of RE2/);
  });

  const folders: string[] = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });
  /** A small bundle with the code that V8 made of `compiled`. */
  const bundle = (text: string, compiled = text) => {
    const folder = mkdtempSync(join(tmpdir(), "evotrainer-engine-"));
    folders.push(folder);
    const [file, cache] = [join(folder, "engine.cjs"), join(folder, "engine.cache")];
    writeFileSync(file, text);
    const source = Buffer.from(compiled);
    const script = loader.scriptOf(file, source) as { createCachedData(): Buffer };
    writeFileSync(cache, Buffer.concat([loader.digestOf(source), script.createCachedData()]));
    return { file, cache };
  };

  it("gives what the bundle exports, which finds its own files", () => {
    const { file, cache } = bundle("module.exports = [__filename, require('./beside.cjs')];");
    writeFileSync(join(file, "../beside.cjs"), "module.exports = 'beside';");
    assert.deepEqual(loader.loadEngine(file, cache), [file, "beside"]);
  });

  it("does not take code of another bundle of the same length", () => {
    const { file, cache } = bundle("module.exports = 'new';", "module.exports = 'old';");
    assert.equal(loader.loadEngine(file, cache), "new");
  });

  it("loads the bundle where the code is damaged or missing", () => {
    const { file, cache } = bundle("module.exports = 'whole';");
    const other = join(file, "../other.cjs");
    copyFileSync(file, other);
    writeFileSync(cache, readFileSync(cache).subarray(0, 60));
    assert.equal(loader.loadEngine(file, cache), "whole");
    assert.equal(loader.loadEngine(other, join(file, "../none")), "whole");
  });
});
