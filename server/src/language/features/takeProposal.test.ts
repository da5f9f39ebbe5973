import assert from "node:assert/strict";
import type { ProposalFile } from "../../../../shared/protocol/views/proposals.ts";
import { edited } from "../../../../test/support/language/openProject.ts";
import { placeHunks } from "./takeProposal.ts";

const base = "shape: flat\nhistory: hidden\nspeed: slow\nbonus: 0\n";
const file: ProposalFile = {
  path: "harness/toy.yaml",
  base,
  proposed: "shape: linear\nhistory: hidden\nspeed: slow\nmore: 1\nbonus: 1\n",
  hunks: [
    { id: "a", baseStart: 0, proposedStart: 0, removed: ["shape: flat\n"], added: ["shape: linear\n"] },
    { id: "b", baseStart: 3, proposedStart: 3, removed: ["bonus: 0\n"], added: ["more: 1\n", "bonus: 1\n"] },
  ],
};
const insertion: ProposalFile = {
  ...file,
  hunks: [{ id: "i", baseStart: 2, proposedStart: 2, removed: [], added: ["new: 1\n"] }],
};

describe("hunks of a proposal in a text", () => {
  const cases: [string, ProposalFile, string, string, string[]][] = [
    ["that equals the parent's", file, base, file.proposed ?? "", ["a", "b"]],
    [
      "with added lines above and between",
      file,
      `# mine\n${base.replace("speed", "extra: 1\nspeed")}`,
      "# mine\nshape: linear\nhistory: hidden\nextra: 1\nspeed: slow\nmore: 1\nbonus: 1\n",
      ["a", "b"],
    ],
    ["that already has one of them", file, base.replace("flat", "linear"), file.proposed ?? "", ["b"]],
    [
      "that has another value in that place",
      file,
      base.replace("flat", "steep"),
      base.replace("flat", "steep").replace("bonus: 0", "more: 1\nbonus: 1"),
      ["b"],
    ],
    [
      "with other line ends",
      file,
      base.replaceAll("\n", "\r\n"),
      "shape: linear\nhistory: hidden\r\nspeed: slow\r\nmore: 1\nbonus: 1\n",
      ["a", "b"],
    ],
    ["that gets a new line", insertion, base, base.replace("speed", "new: 1\nspeed"), ["i"]],
    ["that lacks the lines around an insertion", insertion, "other: 1\n", "other: 1\n", []],
    ["that is empty", file, "", "", []],
  ];
  for (const [what, change, text, expected, ids] of cases)
    it(`are placed in a text ${what}`, () => {
      const placed = placeHunks(text, change);
      assert.deepEqual(
        placed.map(({ id }) => id),
        ids,
      );
      assert.equal(edited(text, placed), expected);
    });
});
