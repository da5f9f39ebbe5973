import assert from "node:assert/strict";
import type { CompletionList } from "vscode-languageserver-protocol/node";
import { connectInMemory, workspace } from "./connect.ts";

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

describe("a project from nothing, with completion alone", () => {
  for (const [kind, comment] of [
    ["empty files", ""],
    ["files with a comment", "# Begun by hand.\n\n"],
  ] as const)
    it(`${kind}: every spec is in order in the end`, async () => {
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
