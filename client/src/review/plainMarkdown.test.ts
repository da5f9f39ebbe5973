import assert from "node:assert/strict";
import { plainMarkdown, plainMarkdownWithNames } from "./plainMarkdown.ts";

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

  const named: [string, string, string][] = [
    ["a name between backticks as code", "Changing `a.b_c` to *2*", "Changing `a.b_c` to \\*2\\*"],
    ["markup in it as it is", "`<img> [x](command:y)`!", "`<img> [x](command:y)`\\!"],
    ["hidden characters in it", "`a\u202eb`", "`a\\u202eb`"],
    ["a backtick without an end", "`a` and `b", "`a` and \\`b"],
    ["nothing between backticks", "a `` b", "a \\`\\` b"],
    ["a space between them", "a ` ` b", "a \\` \\` b"],
    ["two lines between them", "`a\nb`", "\\`a  \nb\\`"],
  ];
  for (const [what, text, expected] of named)
    it(`shows ${what}`, () => assert.equal(plainMarkdownWithNames(text), expected));
});
