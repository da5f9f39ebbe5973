import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anchorOf } from "./anchors.ts";
import { assemble, linked } from "./assemble.ts";
import { deadLinks } from "./deadLinks.ts";
import { sidebarOf } from "./sidebar.ts";

const root = join(import.meta.dirname, "..");

describe("The site of the documentation", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "evotrainer-site-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("has every page, and the side bar leads to each page that the README lists", () => {
    const source = join(folder, "source");
    assemble(root, source);
    const groups = sidebarOf(readFileSync(join(root, "README.md"), "utf8"));
    assert.ok(groups.length >= 7, "groups of the README");
    for (const { text, items } of groups)
      for (const { link } of items) {
        const file = `${link.endsWith("/") ? `${link}index` : link}.md`;
        assert.doesNotThrow(() => readFileSync(join(source, file)), `${text}: ${link}`);
      }
    const decisions = readFileSync(join(source, "adr", "index.md"), "utf8");
    assert.match(decisions, /^- \[.*\]\(\.\/0001-.*\.md\)$/m);
  });

  it("names a file that is not on it in the place of the link, and refuses one that is nowhere", () => {
    const of = { path: "docs/verl.md", root, pages: new Map([["docs/trl.md", "trl.md"]]) };
    assert.equal(linked("See [the script](../README.md).", of), "See the script (`README.md`).");
    assert.equal(linked("See [TRL](trl.md#a).", of), "See [TRL](./trl.md#a).");
    assert.equal(linked("[two\nlines](trl.md)", of), "[two\nlines](./trl.md)");
    assert.equal(linked("```\n[a](b.md)\n```\n[b](trl.md)", of), "```\n[a](b.md)\n```\n[b](./trl.md)");
    assert.equal(linked("```\n[a](b.md)\n```", of), "```\n[a](b.md)\n```");
    assert.throws(() => linked("[gone](../no-such-file.md)", of), /ENOENT/);
  });

  it("makes the anchors that links between the pages name", () => {
    assert.equal(anchorOf("A rollout: `rollouts.jsonl`"), "a-rollout-rolloutsjsonl");
  });

  it("finds links that lead nowhere", () => {
    const site = join(folder, "built");
    mkdirSync(site);
    writeFileSync(
      join(site, "a.html"),
      '<h2 id="x"></h2><a href="./b.html#y">b</a><a href="#x">x</a><img src="/no.png">',
    );
    writeFileSync(
      join(site, "b.html"),
      '<h2 id="z"></h2><a href="/a">a</a><a href="https://example.org/">e</a>',
    );
    assert.deepEqual(deadLinks(site), [
      { page: "a.html", link: "./b.html#y" },
      { page: "a.html", link: "/no.png" },
    ]);
  });
});
