import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { InlayHint } from "vscode-languageserver-protocol/node";
import { lineageChangedMethod, trustGrantedMethod } from "../../shared/protocol/lsp.ts";
import { namedProject } from "../support/language/openProject.ts";
import { sampleProject } from "../support/language/sampleProject.ts";
import { placeOf } from "../../server/src/engine/workspace/place.ts";
import { archiveOf, connectBundle, until, workspace, type Editor } from "./connect.ts";

const loops = "harness/diagnostics/loops.diagnostic.yaml";
const reward = "harness/main.reward.yaml";
const all = { ...sampleProject, ...namedProject };
const condition = (when: string, rest = "") => (all[loops] ?? "").replace(/when: .*/, `when: ${when}`) + rest;

const refreshing = {
  capabilities: { workspace: { inlayHint: { refreshSupport: true }, codeLens: { refreshSupport: true } } },
};

describe("dist/server.cjs while a spec is typed", function () {
  this.timeout(60_000);
  let files: ReturnType<typeof workspace>;
  let editor: Editor;
  let end: () => Promise<void>;
  let refreshed = 0;
  beforeEach(async () => {
    files = workspace({ ...all, [loops]: condition("reward >= 3") });
    await archiveOf(
      files.root,
      Array.from({ length: 40 }, (_, i) => ({ components: { correctness: (i % 3) / 2 }, reward: i % 4 })),
    );
    ({ editor, end } = connectBundle());
    refreshed = 0;
    for (const what of ["inlayHint", "codeLens"])
      editor.connection.onRequest(`workspace/${what}/refresh`, () => {
        refreshed++;
        return null;
      });
  });
  afterEach(async () => {
    await end();
    files.remove();
  });

  const hintsOf = (file: string) =>
    editor.connection.sendRequest<InlayHint[]>("textDocument/inlayHint", {
      textDocument: { uri: files.uri(file) },
      range: { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } },
    });
  const labels = async (file: string): Promise<(readonly [number, string])[]> =>
    (await hintsOf(file)).map(({ position, label }) => [position.line, JSON.stringify(label)] as const);

  it("says what an edited condition catches once, above it, to an editor that shows lenses by itself", async () => {
    await editor.initialize([files.root], { trusted: true, lenses: true }, refreshing);
    const uri = files.uri(loops);
    await editor.open(uri, condition("reward >= 3"));
    await editor.change(uri, condition("reward >= 2"), 2);
    await until(/20 of 40, 50\.0 % \(was 25\.0 %\)/, () =>
      editor.connection.sendRequest("textDocument/codeLens", { textDocument: { uri } }),
    );
    assert.doesNotMatch(JSON.stringify(await hintsOf(loops)), /of 40/);
  });

  it("shows beside an edited condition what it catches, for the newest text only, with the age of the count", async () => {
    await editor.initialize([files.root], { trusted: true }, refreshing);
    const uri = files.uri(loops);
    await editor.open(uri, condition("reward >= 3"));
    await editor.change(uri, condition("reward >= 2"), 2);
    await until(/20 of 40, 50\.0 % \(was 25\.0 %\) · \d+ s ago/, () => hintsOf(loops));
    assert.ok(refreshed > 0, "the editor was not told to ask again");
    const [[line] = [-1]] = await labels(loops);
    assert.match(condition("reward >= 2").split("\n")[line] ?? "", /when: reward >= 2/);
    // Three edits in one go: only the last one is told, and never an earlier one after it.
    for (const [i, least] of ["1", "2", "3"].entries())
      await editor.change(uri, condition(`reward < ${least}`), 3 + i);
    const seen = new Set<string>();
    await until(/30 of 40, 75\.0 % \(was 25\.0 %\)/, async () => {
      const found = await labels(loops);
      for (const [, text] of found) seen.add(text.replace(/ · .*/, ""));
      return found;
    });
    assert.ok(
      ![...seen].some((text) => /^"(10 of 40, 25|20 of 40, 50) %(?! \(was)/.test(text)),
      [...seen].join(),
    );
    // An editor may save by itself after each edit: what was edited is still told.
    await editor.connection.sendNotification("textDocument/didSave", { textDocument: { uri } });
    await until(/30 of 40, 75\.0 % \(was 25\.0 %\)/, () => hintsOf(loops));
    // As opened again, there is nothing to tell.
    await editor.change(uri, condition("reward >= 3"), 9);
    await until(/^\[\]$/, () => hintsOf(loops));
  });

  it("shows beside a diagnostic without a project how many imported rollouts carry it", async () => {
    const bare = workspace({ "my.diagnostic.yaml": condition("reward >= 3") });
    try {
      await archiveOf(
        bare.root,
        [0, 1, 2, 3].map((reward) => ({ reward })),
      );
      // There is no ledger whose changes would tell the views what the archive has.
      const told = new Promise<void>((resolve) => {
        editor.connection.onNotification(lineageChangedMethod, resolve);
      });
      await editor.initialize([bare.root], { trusted: true }, refreshing);
      const uri = bare.uri("my.diagnostic.yaml");
      await editor.open(uri, condition("reward >= 3"));
      const at = { textDocument: { uri } };
      await until(/no rollout was labelled with it yet/, () =>
        editor.connection.sendRequest("textDocument/codeLens", at),
      );
      await editor.change(uri, condition("reward >= 2"), 2);
      const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
      await until(/2 of 4, 50\.0 % \(was 25\.0 %\)/, () =>
        editor.connection.sendRequest("textDocument/inlayHint", { ...at, range }),
      );
      await told;
    } finally {
      bare.remove();
    }
  });

  it("shows beside an edited weight what it does to groups", async () => {
    await editor.initialize([files.root], { trusted: true }, refreshing);
    await editor.open(files.uri(loops), condition("reward >= 3"));
    // What an archive holds has to be known first: it names the version.
    await until(/no rollout was labelled with it yet/, () =>
      editor.connection.sendRequest("textDocument/codeLens", { textDocument: { uri: files.uri(loops) } }),
    );
    const text = all[reward] ?? "";
    await editor.open(files.uri(reward), text);
    await editor.change(files.uri(reward), text.replace("shape: flat", "shape: binary"));
    await until(/dead groups .* in v1 · \d+ s ago/, () => hintsOf(reward));
    const [[line] = [-1]] = await labels(reward);
    assert.match(text.split("\n")[line] ?? "", /correctness/);
  });

  it("tries the archived rollouts of examples as the condition is typed", async () => {
    await editor.initialize([files.root]);
    const uri = files.uri(loops);
    const examples = "examples:\n  - { rollout: run-1/r-2, expect: labelled }\n";
    await editor.open(uri, condition("reward >= 2", examples));
    await editor.change(uri, condition("reward >= 3", examples), 2);
    const [found] = await editor.codes(uri, ["example"]);
    assert.match(JSON.stringify(found?.message), /run-1\/r-2 is not labelled/);
    await editor.change(uri, condition("reward >= 1", examples), 3);
    await editor.codes(uri, []);
  });
});

describe("dist/server.cjs in an untrusted workspace", function () {
  this.timeout(60_000);

  it("asks no engine, opens no archive and runs no analyzer before the workspace is trusted", async () => {
    const marker = "analyzer-was-run";
    const analyzer = `apiVersion: evotrainer/v1
kind: Diagnostic
name: by-program
label:
  analyzer: { command: [node, run.mjs], files: [run.mjs] }
alert: { above: 0.5 }
`;
    const files = workspace({
      ...all,
      "harness/diagnostics/by-program.diagnostic.yaml": analyzer,
      "run.mjs": `import { writeFileSync } from "node:fs"; writeFileSync("${marker}", "");\n`,
    });
    await archiveOf(
      files.root,
      Array.from({ length: 40 }, (_, i) => ({ reward: i % 4 })),
    );
    const { archive } = placeOf(files.root);
    const owner = join(archive, "..", "owner.json");
    const before = [readFileSync(owner, "utf8"), statSync(archive).mtimeMs];
    const { editor, end } = connectBundle();
    await editor.initialize([files.root], { trusted: false });
    const ask = (method: string, file: string, more: object = {}): Promise<unknown> =>
      editor.connection.sendRequest(`textDocument/${method}`, {
        textDocument: { uri: files.uri(file) },
        ...more,
      });
    const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
    for (const [file, text] of Object.entries(all)) await editor.open(files.uri(file), text);
    await editor.open(files.uri("harness/diagnostics/by-program.diagnostic.yaml"), analyzer);
    await editor.change(files.uri(loops), (all[loops] ?? "").replace(/when: .*/, "when: reward >= 3"));
    for (const method of ["codeLens", "inlayHint", "codeAction", "documentLink", "documentSymbol"])
      for (const file of Object.keys(all)) await ask(method, file, { range, context: { diagnostics: [] } });
    const report = { what: "backtest", root: files.root, subject: join(files.root, loops) };
    await assert.rejects(
      editor.connection.sendRequest("evotrainer/report", report),
      /not a project of a trusted/,
    );
    // The question about an edit would have been asked after a moment, and answered.
    for (const until = Date.now() + 1500; Date.now() < until;)
      assert.doesNotMatch(JSON.stringify(await ask("inlayHint", loops, { range })), /of 40/);
    assert.deepEqual([readFileSync(owner, "utf8"), statSync(archive).mtimeMs], before);
    assert.ok(!existsSync(join(files.root, marker)));
    // The same editor, trusted: the archive is asked, and still no program runs.
    await editor.connection.sendNotification(trustGrantedMethod);
    await editor.change(files.uri(loops), (all[loops] ?? "").replace(/when: .*/, "when: reward >= 2"), 3);
    await until(/20 of 40, 50\.0 %/, () => ask("inlayHint", loops, { range }));
    assert.notEqual(readFileSync(owner, "utf8"), before[0]);
    assert.ok(!existsSync(join(files.root, marker)));
    await end();
    files.remove();
  });
});
