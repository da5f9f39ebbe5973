import assert from "node:assert/strict";
import { parseSpec } from "../syntax/parseSpec.ts";
import { hover } from "./hover.ts";

const at = (marked: string) => {
  const found = hover(parseSpec("diagnostic", marked.replace("|", "")), marked.indexOf("|"));
  return found?.markdown;
};

describe("hover", () => {
  it("tells type, default and meaning of a key", () => {
    assert.equal(
      at('label:\n  when: "a"\n  invali|dates: true\n'),
      "**invalidates**: true | false, optional, default `false`\n\nOne labelled rollout of the selection split makes the version invalid.",
    );
  });
  it("tells the same of its value", () => {
    assert.match(
      at("label:\n  severity: warn|ing\n") ?? "",
      /^\*\*severity\*\*: info \| warning \| critical, optional, default `warning`$/,
    );
  });
  it("knows what stands beside a condition", () =>
    assert.match(
      at("label:\n  judge:\n    sam|ple: 9\n") ?? "",
      /^\*\*sample\*\*: integer, optional, default `50`\n/,
    ));
  it("reaches into lists", () =>
    assert.match(
      at("examples:\n  - { rollo|ut: a }\n") ?? "",
      /^\*\*rollout\*\*: text \| mapping, optional\n/,
    ));
  it("knows the fields of a mapping", () => {
    const marked = "fields:\n  turns:\n    ro|le: message.who\n";
    const found = hover(parseSpec("evidence", marked.replace("|", "")), marked.indexOf("|"));
    assert.equal(
      found?.markdown,
      "**role**: text, optional, default `message.role`\n\nWho speaks, per message.",
    );
  });
  it("knows the fields of a lineage mapping, where a text may stand as well", () => {
    const text = (marked: string) =>
      hover(parseSpec("lineage", marked.replace("|", "")), marked.indexOf("|"))?.markdown;
    assert.match(
      text("node:\n  pare|nt: p\n") ?? "",
      /^\*\*parent\*\*: text \| mapping, optional\n\nOne id or/,
    );
    assert.match(
      text("node:\n  parent: { ru|le: previous }\n") ?? "",
      /^\*\*rule\*\*: last-kept \| previous$/,
    );
    assert.match(
      text("status:\n  words:\n    o|k: keep\n") ?? "",
      /^\*\*ok\*\*: base \| keep .* \| undecided \| mapping$/,
    );
  });
  it("is silent about unknown keys and empty space", () => {
    assert.equal(at("unkn|own: 1\n"), undefined);
    assert.equal(at("name: a\n\n|\n"), undefined);
  });
});
