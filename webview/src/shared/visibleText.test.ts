import assert from "node:assert/strict";
import { hidden, hostile } from "../../../test/support/base/hostileText.ts";
import { visibleLine, visibleText } from "./visibleText.ts";

describe("text in a view", () => {
  it("hides nothing, and shows controls as signs", () => {
    for (const show of [visibleText, visibleLine]) assert.doesNotMatch(show(hostile), hidden);
    assert.equal(visibleText("a\r\nb\u001b[2J\u202e\u{e0041}\ud800"), "a\nb␛[2J⟨U+202E⟩⟨U+E0041⟩⟨U+D800⟩");
    assert.equal(visibleText("Zoë 日本 😀 ✔\ufe0f\t."), "Zoë 日本 😀 ✔\ufe0f\t.");
  });
});
