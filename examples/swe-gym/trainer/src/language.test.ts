import assert from "node:assert/strict";
import { callFunction, tokenize, type Value } from "./language.ts";

function check(body: string, args: readonly Value[], expected: Value): void {
  it(`${body} of ${args.join(", ")} gives ${expected}`, () => {
    const fn = { name: "f", parameters: ["a", "b", "c"], body: body.split("; ").map(tokenize) };
    assert.deepEqual(callFunction(fn, args), { value: expected });
  });
}

function checkError(body: string, args: readonly Value[], message: string): void {
  it(`${body} of ${args.join(", ")} is an error: ${message}`, () => {
    const fn = { name: "f", parameters: ["a", "b", "c"], body: body.split("; ").map(tokenize) };
    assert.deepEqual(callFunction(fn, args), { error: message });
  });
}

describe("the mini language", () => {
  check("return a + b * c", [1, 2, 3], 9);
  check("let q = a - b; if q < 0 : return 0; return q", [1, 2], 0);
  check("let q = a - b; if q < 0 : return 0; return q", [5, 2], 3);
  check("return a / b", [7, 2], 3);
  check("return a % b", [7, 4], 3);
  check("return a max b min c", [1, 5, 3], 3);
  check("return neg a", [0], 0);
  check("return abs a", [-4], 4);
  check("let q = upper a; return q ++ b", ["ab", "c"], "ABc");
  check('return a take b ++ ".."', ["hello", 2], "he..");
  check("return a drop b", ["hello", 2], "llo");
  check("if len a <= b : return a; return first a", ["abc", 2], "a");
  check("return last a", ["abc"], "c");
  check("return reverse a", ["abc"], "cba");
  check("return trim a", [" x "], "x");
  check("return lower a", ["AbC"], "abc");
  check("if a == b : return 1; return 2", ["x", "x"], 1);
  check("if a != b : return 1; return 2", ["x", "x"], 2);
  checkError("return a / b", [1, 0], "division by zero");
  checkError("return upper a", [1], "upper does not take a number");
  checkError("return a + b", ["x", 1], "+ does not take string and number");
  checkError("if a < b : return a; return b", ["x", 1], "< does not take string and number");
  checkError("return d", [1], "unknown name d");
  checkError("let q = a + b", [1, 2], "no value returned");
  checkError("jump a", [1], "unknown statement jump");
  checkError("return a +", [1], "the expression ends early");
});
