import assert from "node:assert/strict";
import { sampleProject } from "../support/language/sampleProject.ts";
import { toolMethod, ToolReply, trustGrantedMethod } from "../../shared/protocol/lsp.ts";
import { archiveOf, connectBundle, workspace } from "./connect.ts";

describe("dist/server.cjs: tools for assistants", function () {
  this.timeout(60_000);
  it("refuse before the workspace is trusted, and then answer from the archive", async () => {
    const files = workspace(sampleProject);
    await archiveOf(
      files.root,
      Array.from({ length: 8 }, (_, i) => ({ reward: i })),
    );
    const { editor, end } = connectBundle();
    try {
      await editor.initialize([files.root], { trusted: false });
      const input = { version: "v1", where: "reward > 3.0" };
      const ask = async () =>
        ToolReply.parse(
          await editor.connection.sendRequest(toolMethod, { name: "evotrainer_rollouts", input }),
        );
      const refused = await ask();
      assert.deepEqual([refused.isError, /not trusted/.test(refused.text)], [true, true]);
      await editor.connection.sendNotification(trustGrantedMethod);
      const { isError, text } = await ask();
      assert.equal(isError, false, text);
      assert.match(text, /"total": 4/);
      assert.match(text, /run-1\/r-7/);
    } finally {
      await end();
      files.remove();
    }
  });
});
