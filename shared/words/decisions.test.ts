import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { LedgerEntry } from "../ledger/ledger.ts";
import * as words from "./decisions.ts";

/** As a release wrote it that called the answer `abort`. */
const old = {
  id: "approval:v2:design",
  at: "2026-01-01T00:00:00.000Z",
  domain: "swe",
  type: "approval",
  version: "v2",
  gate: "design",
  answer: "abort",
  by: "ada",
  comment: "it pays for length",
};

describe("one vocabulary", () => {
  const tables = Object.entries({
    decision: words.decisionLooks,
    "state of a proposal": words.proposalLooks,
    verdict: words.verdictLooks,
    outcome: words.outcomeLooks,
    "state of a job": words.jobLooks,
  });
  for (const [what, looks] of tables)
    it(`gives every ${what} a different word, mark and icon, without relying on colour`, () => {
      const all: readonly words.Look[] = Object.values(looks);
      for (const of of ["word", "mark", "icon"] as const)
        assert.equal(new Set(all.map((look) => look[of])).size, all.length, of);
    });

  it("has a tick, and its icon, only for what was found to be good: no job has one because it ended", () => {
    const ended: readonly words.Look[] = Object.values(words.jobLooks);
    assert.deepEqual(
      ended.filter(({ mark, icon, colour }) => mark === "✓" || icon.startsWith("pass") || colour === "green"),
      [],
    );
    assert.deepEqual(
      Object.values(words.evolutionIcons).filter((icon) => icon.startsWith("pass")),
      [],
    );
  });

  it("gives no two decisions the same look", () => {
    const drawn = Object.values(words.decisionLooks).map(({ shape, isOpen }) => `${shape} ${isOpen}`);
    assert.equal(new Set(drawn).size, drawn.length);
  });

  it("gives the pages the same colours as the side bar", () => {
    const css = readFileSync("webview/src/shared/base.css", "utf8");
    for (const [name, theme] of Object.entries(words.themeColours))
      assert.ok(css.includes(`.colour-${name} {\n  color: var(--vscode-${theme.replace(".", "-")});`), name);
  });

  it('reads an old "abort" in a ledger as reject, and accepts no other old word', () => {
    const read = LedgerEntry.parse(old);
    assert.deepEqual(read, { ...old, answer: "reject" });
    assert.deepEqual(LedgerEntry.parse(read), read);
    for (const answer of ["refuse", "Abort", "aborted", ""])
      assert.equal(LedgerEntry.safeParse({ ...old, answer }).success, false, answer);
  });
});
