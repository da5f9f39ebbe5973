import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { hidden, hostile } from "../../../test/support/base/hostileText.ts";
import { plainMarkdown } from "../review/plainMarkdown.ts";
import { inBlock, inLine } from "../../../shared/words/unseen.ts";
import { plainItem } from "./plainItem.ts";

const client = resolve(import.meta.dirname, "..");

describe("texts of trees", () => {
  it("show everything as text, each in its line", () => {
    const item = plainItem({
      label: hostile,
      description: hostile,
      tooltip: hostile,
      accessibilityInformation: { label: hostile, role: "treeitem" },
    });
    for (const text of [item.label, item.description, item.tooltip, item.accessibilityInformation.label])
      assert.doesNotMatch(text, hidden);
    assert.doesNotMatch(`${item.label}${item.description}`, /[\n\t]/);
    assert.match(item.tooltip, /\n/);
    assert.equal(item.accessibilityInformation.role, "treeitem");
    assert.equal(plainItem({ label: "v1 · training" }).label, "v1 · training");
    for (const text of [inLine(hostile), inBlock(hostile), plainMarkdown(hostile)])
      assert.doesNotMatch(text, hidden);
  });

  it("pass through here in every tree of the extension", () => {
    const trees = readdirSync(client, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => ({ name, text: readFileSync(join(client, name), "utf8") }))
      .filter(({ text }) => /\bgetTreeItem\(/.test(text));
    assert.ok(trees.length >= 4);
    for (const { name, text } of trees) {
      const body = /getTreeItem\([^{]*\{(?:\s*)(.*)/.exec(text)?.[1] ?? "";
      assert.match(body, /^return plainItem\(/, name);
    }
  });
});
