import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { generateItem } from "./generator.ts";
import { generateSplits, renderItems } from "../../../gym/src/data.ts";
import { plan } from "./generateData.ts";
import { Item, parseItems } from "./item.ts";
import { Memory } from "./memory.ts";
import { parseItem, Repository } from "./repository.ts";

const template = new URL("../../template/", import.meta.url);

function repaired(item: Item): Item {
  const files = item.files.map((file) => {
    const lines = file.text.split("\n");
    for (const fix of item.fix) if (fix.file === file.name) lines[fix.line - 1] = fix.text;
    return { ...file, text: lines.join("\n") };
  });
  return { ...item, files };
}

const passedOf = (item: Item, tests: Item["hidden"]): number =>
  new Repository(parseItem(item).files).run(tests).filter((r) => r.passed).length;

describe("generated items", () => {
  const items = Array.from({ length: 60 }, (_, i) => generateItem(i, `item-${i}`));

  it("are the same for the same seed and differ between seeds", () => {
    assert.deepEqual(generateItem(5, "x"), generateItem(5, "x"));
    assert.notEqual(plan.contentOf(generateItem(5, "x")), plan.contentOf(generateItem(6, "x")));
  });

  it("fail some hidden tests, pass at least half of them, and pass all once repaired", () => {
    for (const item of items) {
      assert.deepEqual(Item.parse(item), item);
      const passing = passedOf(item, item.hidden) / item.hidden.length;
      assert.ok(passing >= 0.5 && passing < 1, `${item.id}: ${passing}`);
      const right = repaired(item);
      assert.equal(passedOf(right, item.hidden), item.hidden.length, item.id);
      assert.equal(passedOf(right, item.visible), item.visible.length, item.id);
      assert.ok(passedOf(item, item.visible) < item.visible.length, item.id);
    }
  });

  it("offer each place's repair as one edit", () => {
    for (const item of items) {
      const memory = new Memory(
        item,
        item.files.map((f) => f.name),
      );
      for (const file of parseItem(item).files) {
        memory.observe({ tool: "open", file: file.name }, { tool: "open", ok: true, file });
        for (const fix of item.fix.filter((f) => f.file === file.name)) {
          const line = memory.lines.find((l) => l.index === fix.line - 1);
          assert.ok(
            line?.candidates.some((c) => c.text === fix.text),
            `${item.id}: ${fix.text}`,
          );
        }
      }
    }
  });

  it("are repaired only when every place of the mistake is", () => {
    for (const item of items.filter((i) => i.fix.length > 1)) {
      const half = repaired({ ...item, fix: item.fix.slice(1) });
      assert.ok(passedOf(half, item.hidden) < item.hidden.length, item.id);
    }
  });

  it("name the right subject in the issue without giving away the file", () => {
    for (const item of items) {
      assert.ok(item.issue.title.startsWith(item.issue.terms[0] ?? "?"), item.id);
      for (const file of item.files)
        assert.ok(!`${item.issue.title} ${item.issue.body}`.includes(file.name), item.id);
    }
  });
});

describe("the template's data", () => {
  const splits = generateSplits(plan);

  for (const [split, items] of [...splits].filter(([name]) => name !== "shifted"))
    it(`${split}.jsonl is what the generator makes, and is small`, () => {
      const text = readFileSync(new URL(`data/${split}.jsonl`, template), "utf8");
      assert.ok(text.length < 900_000);
      assert.ok(text === renderItems(items), "run generateData.ts again");
      assert.equal(parseItems(text, split).length, items.length);
    });

  it("is not that of the shifted audit, whose repositories are larger", () => {
    const files = (split: keyof typeof plan.splits): number =>
      (splits.get(split) ?? []).reduce((sum, item) => sum + item.files.length, 0);
    assert.ok(files("shifted") > 1.5 * files("audit"));
  });

  it("has no task in two splits", () => {
    const contents = [...splits.values()].flat().map(plan.contentOf);
    assert.equal(new Set(contents).size, contents.length);
  });
});

describe("parseItems", () => {
  it("names the line that is not an item", () => {
    assert.throws(() => parseItems("{}\n", "data/train.jsonl"), /data\/train\.jsonl:1 is not an item: id/);
    assert.throws(() => parseItems("\n{", "data/train.jsonl"), /data\/train\.jsonl:2 is not JSON/);
  });
});
