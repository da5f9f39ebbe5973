import assert from "node:assert/strict";
import { CompletionItemKind, type CompletionList } from "vscode-languageserver-protocol/node";
import { connectBundle, connectInMemory, workspace, type Editor } from "./connect.ts";

/** What is begun in which empty file, in the order in which a project comes to be. */
const begun: readonly (readonly [file: string, label: string])[] = [
  ["evotrainer.yaml", "project"],
  ["harness/main.reward.yaml", "reward"],
  ["harness/diagnostics/echo-trap.diagnostic.yaml", "diagnostic"],
  ["harness/diagnostics/nothing-learned.diagnostic.yaml", "diagnostic-version"],
  ["harness/interventions/binary-reward.intervention.yaml", "intervention"],
  ["harness/skills/whole-answers.skill.yaml", "skill"],
  ["harness/samples.evidence.yaml", "evidence"],
  ["harness/trials.evidence.yaml", "lineage"],
];

/** The first that is offered, whatever it is. */
const any = null;
type Choice = string | null | readonly Choice[] | { readonly [key: string]: Choice };
const shape = "components.correctness.shape";
const edit = { file: "harness/main.reward.yaml", path: shape, from: any, to: any };

/** Which keys and values a person chooses in which empty file, in this order; nothing else is written but new lines. */
const chosen: Readonly<Record<string, Choice>> = {
  "harness/main.reward.yaml": {
    ...{ apiVersion: any, kind: any, name: any },
    components: { correctness: { shape: "flat", weight: any } },
    filter: { kind: "std", keep: any },
  },
  "harness/diagnostics/echo-trap.diagnostic.yaml": {
    ...{ apiVersion: any, kind: any, name: any, description: any, layer: "behaviour", domains: [any] },
    label: { when: any, evidence: any, severity: "warning" },
    alert: { above: any, critical: any },
  },
  "harness/diagnostics/nothing-learned.diagnostic.yaml": {
    ...{ apiVersion: any, kind: any, name: any, over: "version", params: { least: any } },
    label: { when: any, message: any },
  },
  "evotrainer.yaml": {
    ...{ apiVersion: any, kind: any, name: any, domain: any },
    trainer: { command: [any], seeds: ["1", "2"], budgetSeconds: any },
    evaluation: {
      splits: { train: "data/train.jsonl", selection: "data/selection.jsonl", audit: "data/audit.jsonl" },
      files: ["harness/evaluation.yaml"],
    },
    surfaces: [
      { factor: "reward", file: "harness/main.reward.yaml", paths: ["components"] },
      { factor: "filter", file: "harness/main.reward.yaml", paths: ["filter"] },
    ],
    reward: "harness/main.reward.yaml",
  },
  "harness/interventions/binary-reward.intervention.yaml": {
    ...{ apiVersion: any, kind: any, name: any },
    hypothesis: { change: shape, metric: "solve_rate", direction: any, because: any },
    targets: ["echo-trap", "nothing-learned"],
    factor: "reward",
    edit: [edit],
    predicts: { fixes: ["echo-trap"] },
    success: { metric: "solve_rate", atLeast: any },
    guardrails: [{ metric: "dead_group_ratio", atMost: any }],
  },
  "harness/skills/whole-answers.skill.yaml": {
    ...{ apiVersion: any, kind: any, name: any, when: { targets: ["echo-trap"] }, factor: "reward" },
    edit: [edit],
    expects: { metric: any, direction: any },
    validations: [{ domain: any, version: any, change: any, outcome: "confirmed" }],
  },
  "harness/samples.evidence.yaml": {
    ...{ apiVersion: any, kind: "Evidence", name: any, match: [any], records: "jsonl" },
    fields: { item: any, turns: { from: any }, outcome: { pass: any, fail: any }, reward: any },
  },
  "harness/trials.evidence.yaml": {
    ...{ apiVersion: any, kind: "Lineage", name: any },
    node: { id: any, parent: any },
    metric: { field: any, direction: any },
    status: { field: any, words: { ok: "keep" } },
  },
};

/** Writes one file with what the server offers, at the end of the text. */
class Writer {
  readonly #editor: Editor;
  readonly #uri: string;
  #text = "";
  #version = 1;

  constructor(editor: Editor, uri: string) {
    this.#editor = editor;
    this.#uri = uri;
  }

  get text(): string {
    return this.#text;
  }

  async write(choice: Choice, indent = ""): Promise<void> {
    if (choice === null || typeof choice === "string") return this.#accept(choice);
    if (isList(choice)) {
      for (const [i, item] of choice.entries()) {
        if (i > 0) await this.#next(indent, "- ");
        await this.write(item, `${indent}  `);
      }
      return;
    }
    for (const [i, [key, value]] of Object.entries(choice).entries()) {
      await (i > 0 ? this.#next(indent, key) : this.#accept(key));
      await this.write(value, `${indent}  `);
    }
  }

  async end(): Promise<void> {
    await this.#type("\n");
  }

  async #next(indent: string, label: string): Promise<void> {
    await this.#type(`\n${indent}`);
    await this.#accept(label);
  }

  #type(text: string): Promise<void> {
    this.#text += text;
    return this.#editor.change(this.#uri, this.#text, ++this.#version);
  }

  /** A file in a folder is found by its folder. */
  async #accept(label: string | null): Promise<void> {
    const lines = this.#text.split("\n");
    const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
    const { items } = await this.#editor.connection.sendRequest<CompletionList>("textDocument/completion", {
      textDocument: { uri: this.#uri },
      position,
    });
    const isFolder = (one: string) => one.endsWith("/") && label?.startsWith(one) === true;
    const sorted = items.filter(({ kind }) => kind !== CompletionItemKind.Snippet);
    const item =
      label === null
        ? sorted[0]
        : (items.find((one) => one.label === label) ?? items.find((one) => isFolder(one.label)));
    const offered = items.map((one) => one.label).join();
    assert.ok(item?.textEdit && "range" in item.textEdit, `${this.#text}<${String(label)}> of ${offered}`);
    const { range, newText } = item.textEdit;
    assert.deepEqual(range.end, position);
    this.#text = this.#text.slice(0, this.#text.length - (position.character - range.start.character));
    await this.#type(newText);
    if (isFolder(item.label) && item.label !== label) await this.#accept(label);
  }
}

const isList = (choice: Choice): choice is readonly Choice[] => Array.isArray(choice);

describe("dist/server.cjs in a new project, key by key", function () {
  this.timeout(60_000);
  it("offers every key and every value of specs that are valid in the end", async () => {
    const files = workspace({
      ...Object.fromEntries(Object.keys(chosen).map((file) => [file, ""])),
      "data/train.jsonl": '{"id":"train-1"}\n',
      "data/selection.jsonl": '{"id":"selection-1"}\n',
      "data/audit.jsonl": '{"id":"audit-1"}\n',
      "harness/evaluation.yaml": "samples: 4\n",
    });
    const { editor, end } = connectBundle();
    try {
      await editor.initialize([files.root]);
      const written: Record<string, string> = {};
      for (const [file, choice] of Object.entries(chosen)) {
        const uri = files.uri(file);
        await editor.open(uri, "");
        const writer = new Writer(editor, uri);
        await writer.write(choice);
        await writer.end();
        written[file] = writer.text;
      }
      // The last finding is told or taken back before the answer to a request for all of them.
      for (const file of Object.keys(chosen)) {
        const report = await editor.connection.sendRequest<{ items: unknown }>("textDocument/diagnostic", {
          textDocument: { uri: files.uri(file) },
        });
        assert.deepEqual(report.items, [], `${file}\n${written[file] ?? ""}`);
      }
    } finally {
      await end();
      files.remove();
    }
  });
});

describe("a new project made by completion alone", () => {
  for (const [kind, comment] of [
    ["empty files", ""],
    ["files with a comment", "# Begun by hand.\n\n"],
  ] as const)
    it(`${kind}: every spec is valid in the end`, async () => {
      const files = workspace({
        "evotrainer.yaml": "",
        "data/train.jsonl": '{"id":"train-1"}\n',
        "data/selection.jsonl": '{"id":"selection-1"}\n',
        "data/audit.jsonl": '{"id":"audit-1"}\n',
        "harness/evaluation.yaml": "samples: 4\n",
      });
      const editor = connectInMemory();
      await editor.initialize([files.root]);
      for (const [file, label] of begun) {
        const uri = files.uri(file);
        await editor.open(uri, comment);
        const { items } = await editor.connection.sendRequest<CompletionList>("textDocument/completion", {
          textDocument: { uri },
          position: { line: comment.split("\n").length - 1, character: 0 },
        });
        const item = items.find((one) => one.label === label);
        assert.ok(item?.textEdit, `${file}: ${items.map((one) => one.label).join()}`);
        await editor.change(uri, `${comment}${item.textEdit.newText}\n`);
      }
      for (const [file] of begun) {
        const uri = files.uri(file);
        if (editor.published(uri) !== undefined) await editor.codes(uri, []);
      }
      // The last finding to be told or taken back comes before this.
      await editor.connection.sendRequest("workspace/symbol", { query: "" });
      assert.deepEqual(
        begun.filter(([file]) => (editor.published(files.uri(file)) ?? []).length > 0),
        [],
      );
      await editor.stop();
      files.remove();
    });
});
