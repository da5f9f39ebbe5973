import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { skipBecause } from "./support/base/skip.ts";

const root = join(import.meta.dirname, "..");
const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
  cwd: root,
  encoding: "utf8",
  maxBuffer: 1 << 26,
})
  .split("\0")
  .filter((path) => path !== "" && existsSync(join(root, path)));
const textOf = (path: string): string => readFileSync(join(root, path), "utf8");

const comment = {
  code: /^\s*(?:\/\/|\/?\*)|\s\/\/ /,
  script: /^\s*(?:#|--)/,
};
/** Lines of a source that are comments, or end with one. */
function* commentsOf(path: string): Generator<{ readonly line: number; readonly text: string }> {
  const mark = /\.(ts|mjs|cjs)$/.test(path) ? comment.code : comment.script;
  for (const [i, text] of textOf(path).split("\n").entries())
    if (text.length < 400 && mark.test(text)) yield { line: i + 1, text };
}

const productRoots = [
  "",
  "server/src/",
  "server/",
  "client/src/",
  "webview/src/",
  "shared/",
  "scripts/",
  "test/",
  "docs/",
];
/** Files that git ignores, because using the repository makes them. */
const writtenByUse = new Set(["bench/results/latest.json"]);
const names = new Set(tracked.map((path) => basename(path)));
/** Whether what a comment cites is a file of the repository: from its root, from beside the comment, or by its name alone. */
function isThere(cited: string, from: string): boolean {
  if (writtenByUse.has(cited)) return true;
  if (!cited.includes("/")) return names.has(cited);
  const places = [...productRoots, `${dirname(from)}/`, `${dirname(dirname(from))}/`];
  return places.some((place) => existsSync(join(root, place, cited)));
}

/** Documents by name, and files of the source tree by their path. */
const citation =
  /(?:[\w.-]+\/)*[\w.-]+\.md\b|\b(?:docs|server|client|webview|shared|scripts|test|bench)\/[\w./-]+\.\w+/g;
/** A section of a document of this repository; of a book or a paper, the year stands before it. */
const section = /[\w.-]+\.md,? §/;
const adr = /\bADR (\d+)/g;

/** Folders whose rooms have a row each: a room of the server, and the larger ones once more by their own rooms. */
const mapped = [
  /^(server\/src\/[^/]+)\//,
  /^(server\/src\/(?:statistics|evidence|engine|language|runner)\/[^/]+)\//,
  /^((?:shared|examples)\/[^/]+)\//,
  /^((?:client|webview)\/src)\//,
  /^(library\/diagnostics|server\/wasm|scripts|bench|test|test\/support)\//,
];
/** The folders that a path lies in. */
function ancestors(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

describe("the documents", () => {
  it("are cited by comments only where the document or file exists", () => {
    const adrs = new Set(tracked.flatMap((path) => /^docs\/adr\/0*(\d+)-/.exec(path)?.[1] ?? []));
    const wrong: string[] = [];
    let citations = 0;
    for (const path of tracked) {
      if (!/\.(ts|mjs|cjs|sh|py|lua)$/.test(path) || path.endsWith(".d.ts")) continue;
      for (const { line, text } of commentsOf(path)) {
        const cited = text.match(citation) ?? [];
        citations += cited.length;
        const lacking = cited.filter((name) => !isThere(name, path));
        const noAdr = [...text.matchAll(adr)].filter(([, id]) => !adrs.has(id ?? "")).map(([name]) => name);
        const sections = section.exec(text)?.[0];
        for (const name of [...lacking, ...noAdr, ...(sections === undefined ? [] : [sections])])
          wrong.push(`${path}:${line} cites ${name}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(citations > 20, `Only ${citations} citations were found: comments are read in a wrong way.`);
  });

  it("include a map of the architecture with one row for each folder of the product and no other row", () => {
    const map = [...textOf("ARCHITECTURE.md").matchAll(/^\| `([^`]+)` +\|/gm)].map(
      ([, folder = ""]) => folder,
    );
    const folders = new Set(
      tracked.flatMap((path) => mapped.flatMap((pattern) => pattern.exec(path)?.[1] ?? [])),
    );
    assert.deepEqual(
      { lacking: [...folders].filter((folder) => !map.includes(folder)).sort() },
      { lacking: [] },
      "Add a row with one plain sentence to the table in ARCHITECTURE.md.",
    );
    const parts = new Set(tracked.flatMap((path) => ancestors(path)));
    assert.deepEqual({ gone: map.filter((folder) => !parts.has(folder)) }, { gone: [] });
    assert.deepEqual(map, [...new Set(map)], "A folder has two rows.");
  });

  it("cite commits of the history by their titles, where they show how to add something", function () {
    const rows = textOf("CONTRIBUTING.md").matchAll(/^\| a.*\| `([0-9a-f]{7,40})` ([^|]+?) +\|$/gm);
    const cited = [...rows].map(([, hash = "", title = ""]) => ({ hash, title }));
    assert.equal(cited.length, 5);
    const git = (...args: string[]): string =>
      execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
    if (git("rev-parse", "--is-shallow-repository") === "true")
      skipBecause(this, "this clone is shallow: it lacks the history");
    const found = cited.map(({ hash }) => {
      // In the history of what is checked out, not only in some branch.
      git("merge-base", "--is-ancestor", hash, "HEAD");
      return { hash, title: git("log", "-1", "--format=%s", hash) };
    });
    assert.deepEqual(found, cited);
  });

  it("link only to files and headings that exist", () => {
    const wrong: string[] = [];
    for (const path of tracked.filter((name) => extname(name) === ".md")) {
      const text = textOf(path).replace(/```[\s\S]*?```/g, "");
      for (const [, target = ""] of text.matchAll(/\]\(([^()\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const [file = "", anchor] = target.split("#");
        const there = file === "" ? path : join(dirname(path), file);
        if (!existsSync(join(root, there))) wrong.push(`${path}: ${target}`);
        else if (anchor !== undefined && there.endsWith(".md") && !anchorsOf(there).has(anchor))
          wrong.push(`${path}: ${target}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
});

/** Names that a page on the web gives its headings. */
function anchorsOf(path: string): ReadonlySet<string> {
  const headings = textOf(path)
    .replace(/```[\s\S]*?```/g, "")
    .matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/ /g, "-"),
    ),
  );
}
