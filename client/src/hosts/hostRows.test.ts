import assert from "node:assert/strict";
import { candidateRows, knownRows, reportText, summary } from "./hostRows.ts";
import { dialogText, inputText } from "./promptText.ts";

const finding = (about: string, state: "good" | "note" | "bad") => ({
  about,
  state,
  found: `found ${about}`,
  mend: state === "good" ? null : `mend ${about}`,
});

describe("texts about hosts", () => {
  it("sum up a report", () => {
    for (const [states, text] of [
      [["good", "good"], "box has everything that jobs need."],
      [["good", "note"], "Jobs can run on box; one thing is worth knowing."],
      [["note", "note"], "Jobs can run on box; 2 things are worth knowing."],
      [["note", "bad", "bad"], "No job can run on box: b1, and 1 more."],
    ] as const)
      assert.equal(
        summary({ host: "box", findings: states.map((state, i) => finding(`b${i}`, state)) }),
        text,
      );
  });

  it("show what to do below each problem", () => {
    const text = reportText(
      { host: "box", findings: [finding("login", "good"), finding("disk", "bad")] },
      new Date(),
    );
    assert.ok(
      text.endsWith(`\nok    login  found login\nBAD   disk   found disk\n             mend disk\n`),
      JSON.stringify(text),
    );
  });

  it("wrap the lines that say what to do", () => {
    const words = Array.from({ length: 60 }, (_, i) => `word${i}`);
    const long = { ...finding("disk", "bad"), mend: words.join(" ") };
    const [, , , , ...lines] = reportText({ host: "box", findings: [long] }, new Date())
      .trimEnd()
      .split("\n");
    assert.deepEqual(
      lines.flatMap((line) => line.trim().split(" ")),
      words,
    );
    assert.ok(lines.length > 4 && lines.every((line) => line.length <= 102));
  });

  it("list hosts with their target, new ones first", () => {
    assert.deepEqual(
      candidateRows({
        config: "c",
        hosts: [
          { ssh: "a", target: "ada@10.0.0.1:22", jump: null, known: "a" },
          { ssh: "b", target: "ada@10.0.0.2:22", jump: "a", known: null },
        ],
      }),
      [
        { label: "b", description: "ada@10.0.0.2:22 through a", name: "b" },
        { label: "a", description: "ada@10.0.0.1:22", detail: "is a already", name: "a" },
      ],
    );
    const [row] = knownRows({
      hosts: [{ name: "box", from: "settings", target: "ada@box:2222", gpus: 2, slurm: true }],
      problems: [],
    });
    assert.deepEqual(row, {
      label: "box",
      description: "ada@box:2222 · 2 GPUs a job · Slurm",
      detail: "user settings",
      name: "box",
    });
  });
});

describe("texts that may come from a server", () => {
  it("contain nothing that the editor turns into a link", () => {
    const text = "Code [here](command:workbench.action.quit) or\n[there](https://x.example) $(flame)";
    for (const shown of [inputText(text), dialogText("m", text).detail]) {
      assert.doesNotMatch(shown, /\]\(|command:|https:|\$\(/);
      assert.match(shown, /here/);
    }
    assert.equal(inputText("a\n\n  b"), "a b");
    assert.equal(dialogText("m", "a\nb").detail, "a\nb");
  });
});
