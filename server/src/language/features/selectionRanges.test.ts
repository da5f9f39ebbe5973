import assert from "node:assert/strict";
import { parseSpec } from "../syntax/parseSpec.ts";
import { selectionRanges } from "./selectionRanges.ts";

describe("selection ranges", () => {
  it("grow from a token to the whole text", () => {
    const marked = "label:\n  when: has(a) && size(te§xt) > 1\n  severity: info\n";
    const text = marked.replace("§", "");
    const found = selectionRanges(parseSpec("diagnostic", text), marked.indexOf("§"));
    assert.deepEqual(
      found.map(({ start, end }) => text.slice(start, end)),
      [
        "text",
        "(text)",
        "has(a) && size(text) > 1",
        "when: has(a) && size(text) > 1",
        "when: has(a) && size(text) > 1\n  severity: info",
        "label:\n  when: has(a) && size(text) > 1\n  severity: info",
        text,
      ],
    );
  });

  it("are nested everywhere in a broken text", () => {
    const text = `label: { when: "a(b[", x: [1, {y}]\n  evidence: >\n    f(g\n`;
    for (let offset = 0; offset <= text.length; offset++) {
      const found = selectionRanges(parseSpec("diagnostic", text), offset);
      for (const [i, span] of found.entries()) {
        const next = found[i + 1];
        assert.ok(!next || (next.start <= span.start && span.end <= next.end));
      }
    }
  });
});
