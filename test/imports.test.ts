import assert from "node:assert/strict";
import { importViolations, readImports, type ImportGraph } from "./importGraph.ts";
import { serverOrder } from "./serverOrder.ts";

const root = new URL("..", import.meta.url).pathname;

describe("the rule on who may import what", () => {
  it("is kept by all source files", () => {
    const graph = readImports(root);
    assert.ok(
      graph.size > 30 && graph.get("server/src/language/server.ts")?.includes("vscode-languageserver"),
    );
    assert.equal(importViolations(graph, serverOrder).join("\n"), "");
  });

  it("covers imports of types", () => {
    assert.ok(
      readImports(root)
        .get("server/src/language/rule/rule.ts")
        ?.includes("server/src/language/syntax/parseSpec.ts"),
    );
  });

  const order = ["base", "evidence", "language"];
  const cases: readonly (readonly [
    string,
    Readonly<Record<string, readonly string[]>>,
    readonly RegExp[],
  ])[] = [
    [
      "what is allowed",
      {
        "client/src/a.ts": ["vscode", "shared/b.ts"],
        "shared/b.ts": ["zod"],
        "server/src/language/c.ts": ["server/src/base/d.ts", "yaml"],
        "server/src/base/d.ts": ["node:fs"],
      },
      [],
    ],
    ["shared imports a package", { "shared/a.ts": ["yaml"] }, [/shared must not reach yaml/]],
    [
      "a webview reaches node through shared",
      { "webview/src/a.ts": ["shared/b.ts"], "shared/b.ts": ["node:fs"] },
      [/a\.ts -> shared\/b\.ts -> node:fs: webview/, /shared must not reach node:fs/],
    ],
    [
      "the client imports the server",
      { "client/src/a.ts": ["server/src/base/b.ts"], "server/src/base/b.ts": [] },
      [/client must not reach server/],
    ],
    ["the server reaches vscode", { "server/src/base/a.ts": ["vscode"] }, [/server must not reach vscode/]],
    [
      "the server imports a webview",
      { "server/src/base/a.ts": ["webview/src/b.ts"], "webview/src/b.ts": [] },
      [/server must not reach webview/],
    ],
    [
      "a lower folder imports a higher one",
      { "server/src/base/a.ts": ["server/src/language/b.ts"], "server/src/language/b.ts": [] },
      [/base lies below language/],
    ],
    [
      "a folder that has no place",
      { "server/src/misc/a.ts": [] },
      [/misc is missing in test\/serverOrder\.ts/],
    ],
    [
      "an entry is imported",
      { "server/src/base/a.ts": ["server/src/main.ts"], "server/src/main.ts": [] },
      [/nothing imports an entry/],
    ],
    [
      "files in a circle",
      { "shared/a.ts": ["shared/b.ts"], "shared/b.ts": ["shared/c.ts"], "shared/c.ts": ["shared/b.ts"] },
      [/^circle: shared\/b\.ts -> shared\/c\.ts -> shared\/b\.ts$/],
    ],
    [
      "a rule imports a feature",
      {
        "server/src/language/rules/a.ts": ["server/src/language/features/b.ts"],
        "server/src/language/features/b.ts": [],
      },
      [/stand alone/],
    ],
    [
      "the toolkit in a second place",
      { "webview/src/lineage/a.ts": ["@vscode/webview-ui-toolkit"] },
      [/only webview\/src\/shared\/toolkit\.ts/],
    ],
  ];
  for (const [name, files, expected] of cases)
    it(`${expected.length ? "finds" : "accepts"}: ${name}`, () => {
      const graph: ImportGraph = new Map(Object.entries(files));
      const found = importViolations(graph, order);
      assert.equal(found.length, expected.length, found.join("\n"));
      for (const [i, pattern] of expected.entries()) assert.match(found[i] ?? "", pattern);
    });
});
