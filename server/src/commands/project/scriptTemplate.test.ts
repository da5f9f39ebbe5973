import assert from "node:assert/strict";
import { commandWords } from "./scriptTemplate.ts";

describe("the command of init --template script", () => {
  it("is cut into words as a shell would", () => {
    assert.deepEqual(commandWords(`python train.py --note 'two words' --lr 1e-6`), [
      "python",
      "train.py",
      "--note",
      "two words",
      "--lr",
      "1e-6",
    ]);
  });
  for (const [command, word] of [
    ["a && b", '"&"'],
    ["a > log", '">"'],
    ["a $HOME", '"$HOME"'],
    ["X=1 python train.py", '"X=1"'],
  ] as const)
    it(`is refused where it needs a shell: ${command}`, () =>
      assert.throws(() => commandWords(command), {
        reason: "badInput",
        message: `The command is started without a shell, so it cannot have ${word}; write it into a script, and give --command "bash run.sh".`,
      }));
  it("is refused where it is empty", () =>
    assert.throws(() => commandWords("  # nothing"), /The command is empty; give one/));
});
