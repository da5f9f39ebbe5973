import assert from "node:assert/strict";
import { namedProject, openProject } from "../../../../test/support/language/openProject.ts";
import { workspaceSymbols } from "./workspaceSymbols.ts";

describe("workspace symbols", () => {
  const { context } = openProject(namedProject);
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["loops", ["loops", "fewer-loops"]],
    ["FL", ["fewer-loops"]],
    ["correct", ["correctness"]],
    ["zzz", []],
  ];
  for (const [query, expected] of cases)
    it(`finds ${query}`, () =>
      assert.deepEqual(
        workspaceSymbols([context.symbols], query).map(({ name }) => name),
        expected,
      ));
});
