import assert from "node:assert/strict";
import { shellWords } from "./shellWords.ts";

const words = (text: string): string[] =>
  shellWords(text).map(({ type, text: said, expands }) =>
    type === "operator" ? `<${said}>` : expands ? `${said}*` : said,
  );

describe("shellWords", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["python train.py --lr 1e-6", ["python", "train.py", "--lr", "1e-6"]],
    ["a \\\n    b=1 \\\r\n    c", ["a", "b=1", "c"]],
    [`x='a b' y="c \\"d\\"" z=e\\ f`, ["x=a b", 'y=c "d"', "z=e f"]],
    ["a # not this\nb#c", ["a", "<\n>", "b#c"]],
    ["set -x && run | tee log", ["set", "-x", "<&>", "<&>", "run", "<|>", "tee", "log"]],
    [
      `files="['$data','\${more}']" n=$(date +%s) 'it$'`,
      ["files=['$data','${more}']*", "n=$(date +%s)*", "it$"],
    ],
    [`a "b`, ["a", "b"]],
    ["a $(b", ["a", "$(b*"]],
    ["", []],
  ];
  for (const [text, expected] of cases)
    it(JSON.stringify(text), () => assert.deepEqual(words(text), expected));

  it("says where each word stands", () => {
    const text = `run lr='1' \\\n  n=2`;
    assert.deepEqual(
      shellWords(text).map(({ start, end }) => text.slice(start, end)),
      ["run", "lr='1'", "n=2"],
    );
  });
});
