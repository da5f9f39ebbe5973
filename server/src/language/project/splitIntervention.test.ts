import assert from "node:assert/strict";
import { parseText } from "../syntax/parseSpec.ts";
import { edited } from "../../../../test/support/language/openProject.ts";
import { splitIntervention } from "./splitIntervention.ts";

const parts = [
  { factor: "reward", edits: [0, 2] },
  { factor: "filter", edits: [1] },
];
function split(text: string) {
  const spec = parseText(text);
  const found = splitIntervention(spec, { path: "i/two.intervention.yaml", name: "two" }, parts);
  assert.ok(found);
  return { kept: edited(text, found.edits), edits: found.edits, creates: found.creates };
}

const block = `# Why this exists.
kind: Intervention
name: two   # a name
hypothesis: {change:   a.b, metric: x}   # not formatted
targets: [ a,b ]
factor: reward
edit:
  # the first
  - {file: f, path: a.b, from: 1, to: 2}  # one
  # the second
  # of three
  - file: f
    path: c.d   # two
    from: 1
    to: 2

  # the third
  - {file: f, path: a.c, from: 1, to: 2}
success: {atLeast:   0.1}
`;

describe("splitting an intervention", () => {
  it("takes out the lines that go, with their comments, and leaves the others alone", () => {
    const { kept, edits, creates } = split(block);
    assert.equal(
      kept,
      block
        .replace(/  # the second\n(?:.*\n){5}    to: 2\n/, "")
        .replace(/  # the second\n(.|\n)*?to: 2\n\n/, "\n"),
    );
    assert.equal(edits.length, 1);
    const [filter] = creates;
    assert.equal(filter?.path, "i/two-filter.intervention.yaml");
    assert.equal(
      filter.text,
      block
        .replace("name: two ", "name: two-filter ")
        .replace("change:   a.b", "change:   c.d")
        .replace("factor: reward", "factor: filter")
        .replace(/  # the first\n.*\n/, "")
        .replace(/  # the third\n.*\n/, ""),
    );
  });

  it("keeps a list in brackets as a list in brackets", () => {
    const flow = "name: two\nfactor: reward\nedit: [{path: a}, { path: b }, {path:  c}] # all\n";
    const { kept, creates } = split(flow);
    assert.equal(kept, "name: two\nfactor: reward\nedit: [{path: a}, {path:  c}] # all\n");
    assert.equal(creates[0]?.text, "name: two-filter\nfactor: filter\nedit: [{ path: b }] # all\n");
  });

  it("writes aliases out in full", () => {
    const { kept, creates } = split(
      "name: two\nfactor: reward\nedit:\n  - {path: a, to: [1]}\n  - &x {path: b}\n  - *x\n",
    );
    assert.deepEqual(parseText(kept).value, {
      ...{ name: "two", factor: "reward" },
      edit: [{ path: "a", to: [1] }, { path: "b" }],
    });
    assert.deepEqual(parseText(creates[0]?.text ?? "").value, {
      ...{ name: "two-filter", factor: "filter", edit: [{ path: "b" }] },
    });
  });
});
