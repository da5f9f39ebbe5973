import assert from "node:assert/strict";
import { plainMarkdown } from "./plainMarkdown.ts";

describe("plain text as Markdown", () => {
  const cases: [string, string, string][] = [
    ["words", "63 of 100 groups", "63 of 100 groups"],
    ["a link", "[x](command:y)", String.raw`\[x\]\(command\:y\)`],
    ["an address", "http://a.b", String.raw`http\:\/\/a\.b`],
    ["markup", "*a* <img src=x>", String.raw`\*a\* \<img src\=x\>`],
    ["hidden characters", "a\u202eb\u001b[31m\tc", String.raw`a\\u202eb\\x1b\[31m c`],
    ["lines", "a\nb", "a  \nb"],
  ];
  for (const [what, text, expected] of cases)
    it(`shows ${what} as plain text`, () => assert.equal(plainMarkdown(text), expected));
});
