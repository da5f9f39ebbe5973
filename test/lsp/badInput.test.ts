import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { CancellationTokenSource, type Diagnostic } from "vscode-languageserver-protocol/node";
import { interventionWith, sampleProject } from "../support/language/sampleProject.ts";
import { connectBundle, workspace, type Editor } from "./connect.ts";

const head = "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: a\n";
const rest = "alert: { above: 0.5 }\n";
const good = `${head}label: { when: n_turns >= 40 }\n${rest}`;
const file = "harness/diagnostics/a.diagnostic.yaml";
/** A text of nearly a million characters that is right: comments count as well. */
const long = `${good}# ${"x".repeat(78)}\n`.padEnd(999_990, `# ${"x".repeat(78)}\n`);
/** Over a version, naming the rate of the other one. */
const circle = (name: string, other: string) =>
  `apiVersion: evotrainer/v1\nkind: Diagnostic\nname: ${name}\nover: version\nlabel: { when: 'rate("${other}") > 0.1' }\n`;

/** Texts, and the codes that are told of them. */
const texts: readonly (readonly [what: string, text: string, codes: readonly string[]])[] = [
  ["an anchor and its alias", good.replace("{ above: 0.5 }", "&x { above: 0.5 }\n# *x"), []],
  [
    "an alias that stands for a value",
    `${good}params: { least: &n 4 }\ndomainParams: { swe: { least: *n } }\n`,
    [],
  ],
  ["an alias without its anchor", good.replace("n_turns >= 40", "*nowhere"), ["syntax"]],
  ["a merge key", `${good}params: { <<: { least: 4 } }\n`, ["schema"]],
  ["a circle of aliases", `${good}params: &p { least: *p }\n`, ["schema", "syntax"]],
  ["a tab as indentation", `${head}label:\n\twhen: n_turns >= 40\n${rest}`, ["schema", "syntax"]],
  ["a repeated key", `${good}name: b\n`, ["syntax"]],
  ["a million characters", long, []],
  ["more than a million characters", `${long}# ${"x".repeat(78)}\n`, ["syntax"]],
];

describe("dist/server.cjs with bad input", function () {
  this.timeout(120_000);
  let files: ReturnType<typeof workspace>;
  let editor: Editor;
  let end: () => Promise<void>;
  let uri: string;
  const ask = (method: string, params: object): Promise<unknown> =>
    editor.connection.sendRequest(method, params);
  const close = (at: string) =>
    editor.connection.sendNotification("textDocument/didClose", { textDocument: { uri: at } });
  /** Findings as they are on request: whatever was sent before is taken in. */
  const found = async (at = uri): Promise<string[]> => {
    const report = await ask("textDocument/diagnostic", { textDocument: { uri: at } });
    const items = typeof report === "object" && report !== null && "items" in report ? report.items : [];
    return (items as Diagnostic[]).map(({ code }) => String(code));
  };

  before(async () => {
    files = workspace({ ...sampleProject, [file]: good });
    uri = files.uri(file);
    ({ editor, end } = connectBundle());
    await editor.initialize([files.root]);
  });
  after(async () => {
    await end();
    files.remove();
  });
  afterEach(async () => {
    await close(uri);
    // Whatever came in between, nothing is left behind.
    assert.deepEqual(await found(), []);
  });

  for (const [what, text, codes] of texts)
    it(`${what}: is reported or accepted, and the next text is read as usual`, async () => {
      await editor.open(uri, text);
      assert.deepEqual([...new Set(await found())].sort(), codes);
      await ask("textDocument/completion", { textDocument: { uri }, position: { line: 3, character: 8 } });
      await editor.change(uri, `${good}nonsense: 1\n`);
      await editor.codes(uri, ["schema"]);
      await editor.change(uri, good, 3);
      await editor.codes(uri, []);
    });

  it("a config with a circle of aliases: is reported, and breaks nothing else", async () => {
    const config = files.uri("harness/config.json");
    await editor.open(config, '{ "temperature": 1.0, "workers": 2, "a": &a { "b": [*a] } }\n');
    await editor.codes(config, ["syntax"]);
    const spec = files.uri("harness/interventions/c.intervention.yaml");
    await editor.open(spec, interventionWith("  - { file: harness/config.json, path: t, from: 1, to: 2 }"));
    const position = { line: 8, character: 45 };
    await ask("textDocument/completion", { textDocument: { uri: spec }, position });
    await ask("textDocument/inlayHint", {
      ...{ textDocument: { uri: spec }, range: { start: { line: 0, character: 0 }, end: position } },
    });
    for (const at of [config, spec]) await close(at);
    await editor.codes(config, []);
  });

  it("specs that name each other: each is checked once, and again when the other one changes", async () => {
    const [one, two] = ["one", "two"].map((name) => files.uri(`harness/diagnostics/${name}.diagnostic.yaml`));
    assert.ok(one && two);
    await editor.open(one, circle("one", "two"));
    await editor.open(two, circle("two", "one"));
    assert.deepEqual([await found(one), await found(two)], [[], []]);
    await editor.change(two, circle("two", "one").replace("over: version", "over: nothing"));
    assert.notDeepEqual(await found(two), []);
    const position = { line: 4, character: 24 };
    for (const method of ["references", "prepareCallHierarchy", "rename", "definition", "hover"])
      await ask(`textDocument/${method}`, {
        ...{ textDocument: { uri: one }, position, newName: "x", context: { includeDeclaration: true } },
      });
    for (const at of [one, two]) await close(at);
  });

  it("impossible positions: are answered, and change nothing", async () => {
    const text = good.replace("name: a\n", "name: a\ndescription: 𝔸𝔹 ☃\n");
    await editor.open(uri, text);
    const places = [
      { line: 3, character: 14 },
      { line: 3, character: 99_999 },
      { line: 99_999, character: 0 },
      { line: -1, character: -1 },
      { line: 0.5, character: 0.5 },
    ];
    for (const position of places)
      for (const method of ["hover", "completion", "definition", "signatureHelp", "prepareRename"])
        await ask(`textDocument/${method}`, { textDocument: { uri }, position }).catch(() => undefined);
    // Between the two halves of a character.
    await editor.connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version: 2 },
      contentChanges: [
        { range: { start: { line: 3, character: 14 }, end: { line: 3, character: 14 } }, text: "x" },
        { range: { start: { line: 3, character: 500 }, end: { line: 99_999, character: 0 } }, text: "" },
      ],
    });
    assert.deepEqual(await found(), ["schema"]);
    await editor.change(uri, text, 3);
    assert.deepEqual(await found(), []);
  });

  it("closed or deleted files: have no answers and no findings", async () => {
    const at = files.uri("harness/diagnostics/gone.diagnostic.yaml");
    files.write("harness/diagnostics/gone.diagnostic.yaml", `${good}nonsense: 1\n`);
    await editor.open(at, `${good}nonsense: 1\n`);
    await editor.codes(at, ["duplicate-name", "schema"]);
    rmSync(join(files.root, "harness/diagnostics/gone.diagnostic.yaml"));
    await close(at);
    await editor.codes(at, []);
    const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
    const more = { position: range.start, range, context: { diagnostics: [] }, newName: "x", positions: [] };
    for (const method of [
      "hover",
      "completion",
      "codeAction",
      "codeLens",
      "inlayHint",
      "foldingRange",
      "rename",
    ])
      await ask(`textDocument/${method}`, { textDocument: { uri: at }, ...more }).catch(() => undefined);
    // A change of a file that is not open.
    await editor.change(at, `${good}nonsense: 1\n`);
    assert.deepEqual([await found(at), editor.published(at)], [[], []]);
  });

  it("versions out of order: the text that came last counts", async () => {
    await editor.open(uri, good);
    await editor.change(uri, `${good}nonsense: 1\n`, 9);
    await editor.change(uri, good, 4);
    assert.deepEqual(await found(), []);
    await editor.change(uri, `${good}nonsense: 1\n`, 4);
    await editor.codes(uri, ["schema"]);
    await editor.change(uri, good, 1);
    await editor.codes(uri, []);
  });

  it("a storm of cancelled requests: all end, and the next one is answered", async () => {
    await editor.open(uri, good);
    const sources = Array.from({ length: 500 }, () => new CancellationTokenSource());
    const answers = sources.map(({ token }, i) =>
      editor.connection
        .sendRequest(
          i % 2 === 0 ? "textDocument/completion" : "workspace/symbol",
          { textDocument: { uri }, position: { line: 3, character: 20 }, query: "a" },
          token,
        )
        .then(
          () => "answered",
          () => "cancelled",
        ),
    );
    for (const source of sources) source.cancel();
    const ended = await Promise.all(answers);
    assert.equal(ended.length, 500);
    const hover = await ask("textDocument/hover", {
      textDocument: { uri },
      position: { line: 3, character: 17 },
    });
    assert.match(JSON.stringify(hover), /n_turns/);
  });
});

describe("dist/server.cjs with an editor that cannot register anything", function () {
  this.timeout(60_000);

  it("never asks the editor for anything that the editor did not offer", async () => {
    const spec = "harness/interventions/b.intervention.yaml";
    const wrong = interventionWith(
      "  - { file: harness/config.json, path: workers, from: 2, to: 3 }",
      "optimisation",
    );
    const files = workspace({ ...sampleProject, [spec]: wrong });
    for (const diagnostics of ["push", "pull"]) {
      const { editor, end } = connectBundle();
      const asked: string[] = [];
      for (const method of [
        "client/registerCapability",
        "workspace/diagnostic/refresh",
        "workspace/codeLens/refresh",
        "workspace/inlayHint/refresh",
        "workspace/configuration",
      ])
        editor.connection.onRequest(method, () => void asked.push(method));
      await editor.initialize([files.root], { trusted: true, diagnostics });
      await editor.open(files.uri(spec), wrong);
      if (diagnostics === "push") await editor.codes(files.uri(spec), ["frozen-value"]);
      await editor.change(files.uri(spec), `${wrong}# x\n`);
      const report = await editor.connection.sendRequest("workspace/diagnostic", { previousResultIds: [] });
      assert.match(JSON.stringify(report), /frozen-value/);
      assert.deepEqual(asked, []);
      await end();
    }
    files.remove();
  });
});
