import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { glossary } from "./glossary.ts";

describe("the glossary", () => {
  const page = readFileSync(new URL("../../docs/concepts.md", import.meta.url), "utf8");
  for (const word of Object.keys(glossary))
    it(`has a place on the page of concepts for: ${word}`, () =>
      assert.ok(page.toLowerCase().includes(`- **${word.toLowerCase()}**:`)));
});
