import assert from "node:assert/strict";
import { folderViolations } from "./folderGraph.ts";
import { readImports } from "./importGraph.ts";

const root = new URL("..", import.meta.url).pathname;

describe("the folders of the product", () => {
  it("never import each other in a circle, and none holds too many files", () => {
    const graph = readImports(root);
    assert.ok(graph.size > 500, "the source was read");
    assert.equal(folderViolations(graph).join("\n"), "");
  });

  const files = (folder: string, count: number) =>
    Array.from({ length: count }, (_, i) => [`${folder}/file${i}.ts`, []] as const);
  const cases: readonly (readonly [
    string,
    readonly (readonly [string, readonly string[]])[],
    RegExp | null,
  ])[] = [
    [
      "a folder that another imports",
      [
        ["server/src/a/one.ts", ["server/src/b/two.ts"]],
        ["server/src/b/two.ts", []],
      ],
      null,
    ],
    [
      "two folders that import each other by other files",
      [
        ["server/src/a/one.ts", ["server/src/b/two.ts"]],
        ["server/src/b/two.ts", []],
        ["server/src/b/three.ts", ["server/src/a/four.ts"]],
        ["server/src/a/four.ts", []],
      ],
      /^circle of folders: server\/src\/a -> server\/src\/b \(one\.ts -> server\/src\/b\/two\.ts\) -> server\/src\/a/,
    ],
    [
      "a folder and the one around it",
      [
        ["client/src/a/one.ts", ["client/src/a/b/two.ts"]],
        ["client/src/a/b/two.ts", ["client/src/a/three.ts"]],
        ["client/src/a/three.ts", []],
      ],
      /circle of folders: client\/src\/a -> client\/src\/a\/b/,
    ],
    [
      "three folders in a ring",
      [
        ["shared/a/one.ts", ["shared/b/two.ts"]],
        ["shared/b/two.ts", ["shared/c/three.ts"]],
        ["shared/c/three.ts", ["shared/a/four.ts"]],
        ["shared/a/four.ts", []],
      ],
      /circle of folders: shared\/a -> shared\/b .* -> shared\/c .* -> shared\/a/,
    ],
    ["25 files", files("server/src/a", 25), null],
    ["26 files", files("server/src/a", 26), /^server\/src\/a holds 26 files, more than 25/],
    ["the list of rules", files("server/src/language/rules", 40), null],
  ];
  for (const [title, graph, expected] of cases)
    it(`${expected === null ? "allows" : "finds"} ${title}`, () => {
      const found = folderViolations(new Map(graph)).join("\n");
      if (expected === null) assert.equal(found, "");
      else assert.match(found, expected);
    });
});
