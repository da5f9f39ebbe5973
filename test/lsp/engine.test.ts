import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { placeOf } from "../../server/src/engine/workspace/place.ts";
import { withEngine } from "../../server/src/engine/owner/withEngine.ts";
import { makeRollout, toLine } from "../support/evidence/evidence.ts";
import { sampleProject } from "../support/language/sampleProject.ts";
import { engineMethod, trustGrantedMethod } from "../../shared/protocol/lsp.ts";
import { engineReply, type EngineReply } from "../../shared/protocol/services/service.ts";
import { connectInMemory, workspace, type Editor } from "./connect.ts";

const Reply = engineReply(z.unknown());

describe("questions from views to the engine", () => {
  let editor: Editor;
  let files: ReturnType<typeof workspace>;
  beforeEach(() => {
    files = workspace(sampleProject);
    editor = connectInMemory();
  });
  afterEach(async () => {
    await editor.stop();
    files.remove();
  });
  const ask = async (question: unknown): Promise<EngineReply<unknown>> =>
    Reply.parse(await editor.connection.sendRequest(engineMethod, question));
  const versions = { service: "versions.list", params: {} } as const;

  it("are refused before the workspace is trusted, and for a folder that is not one of its projects", async () => {
    await editor.initialize([files.root], { trusted: false });
    assert.deepEqual(await ask(versions), { type: "untrusted" });
    await editor.connection.sendNotification(trustGrantedMethod);
    assert.deepEqual(await ask(versions), { type: "noArchive" });
    assert.deepEqual(await ask({ ...versions, root: join(files.root, "..") }), { type: "noProject" });
  });

  it("are answered from the archive; a failure gives its reason, and a service that no view needs is not passed on", async () => {
    await editor.initialize([files.root], { trusted: true });
    const lines = join(files.root, "rollouts.jsonl");
    await writeFile(lines, [0, 1].map((i) => toLine(makeRollout({ id: `r-${i}`, run: "v1.s1" }))).join(""));
    await withEngine(placeOf(files.root), (engine) =>
      engine.request("evidence.import", { paths: [lines], version: "v1" }),
    );
    const listed = await ask(versions);
    assert.ok(listed.type === "answer");
    assert.deepEqual([listed.root, listed.result], [files.root, [{ version: "v1", train: 2, selection: 0 }]]);
    const wrong = await ask({
      service: "rollouts.list",
      params: { version: "v1", limit: 1, where: "rewrd > 1" },
    });
    assert.ok(wrong.type === "refused" && wrong.message.includes("rewrd"), JSON.stringify(wrong));
    const bad = await ask({ service: "rollouts.list", params: { version: 3 } });
    assert.ok(bad.type === "refused" && bad.reason === "badInput");
    await assert.rejects(ask({ service: "archive.forget", params: { version: "v1" } }));
  });
});
