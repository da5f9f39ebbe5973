import assert from "node:assert/strict";
import { HarnessError } from "../../base/errors.ts";
import { JobSpec } from "../job/jobSpec.ts";
import { renderJob } from "./payload.ts";

const spec = (change: Partial<JobSpec>): JobSpec =>
  JobSpec.parse({
    id: "v1.train.s1",
    command: ["true"],
    cwd: "/tmp",
    environment: {},
    budgetSeconds: 1,
    ...change,
  });

describe("what the keeper is given to start a job", () => {
  it("holds the command and the variables as words that no shell takes apart", () => {
    const text = renderJob(
      spec({ command: ["a b", "$(x)", "it's", "`y`\n"], environment: { A: "1;2", B: "$HOME" } }),
    ).toString();
    assert.ok(text.includes(`exec "$@" 'a b' '$(x)' 'it'\\''s' '\`y\`\n'`), text);
    assert.ok(text.includes("export A='1;2'\nexport B='$HOME'\n"), text);
  });

  for (const [what, change, says] of [
    [
      "a command with a NUL character",
      { command: ["a", "b\0c"] },
      /^The command of the job v1\.train\.s1 contains a NUL/,
    ],
    ["a variable with a NUL character", { environment: { A: "b\0" } }, /^The A of the job .* contains a NUL/],
    ["a folder with a NUL character", { cwd: "/tmp\0" }, /^The cwd of the job .* contains a NUL/],
    ["a relative folder", { cwd: "tmp" }, /absolute path/],
    ["a folder with a line break", { cwd: "/tmp\n#end" }, /without line breaks/],
    ["a variable that is no name", { environment: { "A=1; x": "" } }, /cannot be a variable/],
    ["a variable that begins with a digit", { environment: { "1A": "" } }, /cannot be a variable/],
    ["a variable that the shell keeps for itself", { environment: { IFS: "," } }, /cannot be a variable/],
  ] as const)
    it(`never holds ${what}`, () => {
      assert.throws(
        () => renderJob(spec(change as Partial<JobSpec>)),
        (e) => HarnessError.is(e) && e.reason === "badInput" && says.test(e.message),
      );
    });
});
