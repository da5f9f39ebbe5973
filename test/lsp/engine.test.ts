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
import { Diagnosis } from "../../shared/protocol/results/diagnosis.ts";
import { DiagnosticsList } from "../../shared/protocol/views/specs.ts";
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
    assert.deepEqual(
      [listed.root, listed.result],
      [files.root, [{ version: "v1", train: 2, selection: 0, scores: 0 }]],
    );
    const wrong = await ask({
      service: "rollouts.list",
      params: { version: "v1", limit: 1, where: "rewrd > 1" },
    });
    assert.ok(wrong.type === "refused" && wrong.message.includes("rewrd"), JSON.stringify(wrong));
    const bad = await ask({ service: "rollouts.list", params: { version: 3 } });
    assert.ok(bad.type === "refused" && bad.reason === "badInput");
    await assert.rejects(ask({ service: "archive.forget", params: { version: "v1" } }));
  });

  it("are answered for a folder without a project that has evidence, by the diagnostics that lie in it", async () => {
    const bare = workspace({
      "my.diagnostic.yaml":
        "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: mine\nlabel: { when: reward < 0.5 }\n",
      "wrong.diagnostic.yaml":
        "apiVersion: evotrainer/v1\nkind: Diagnostic\nname: wrong\nlabel: { when: rewrd < 0.5 }\n",
      "rollouts.jsonl": [0, 1]
        .map((i) => toLine(makeRollout({ id: `r-${i}`, run: "v1.s1", reward: i })))
        .join(""),
    });
    const { root } = bare;
    try {
      await editor.initialize([root], { trusted: true });
      await editor.codes(bare.uri("wrong.diagnostic.yaml"), ["expression"]);
      assert.deepEqual(await ask(versions), { type: "noProject" });
      const paths = [join(root, "rollouts.jsonl")];
      await withEngine(placeOf(root), (engine) =>
        engine.request("evidence.import", { paths, version: "v1" }),
      );
      const of = async (service: string, params: unknown): Promise<unknown> => {
        const reply = await ask({ service, params });
        assert.ok(reply.type === "answer", JSON.stringify(reply));
        assert.equal(reply.root, root);
        return reply.result;
      };
      const { diagnostics, problems } = DiagnosticsList.parse(await of("diagnostics.list", {}));
      assert.deepEqual(
        [diagnostics[0]?.name, diagnostics[0]?.file],
        ["mine", join(root, "my.diagnostic.yaml")],
      );
      assert.deepEqual(
        problems.map(({ path, line }) => [path, line]),
        [["wrong.diagnostic.yaml", 4]],
      );
      const { labels } = Diagnosis.parse(await of("versions.diagnose", { version: "v1" }));
      assert.equal(labels.find(({ name }) => name === "mine")?.labelled, 1);
      const page = await of("rollouts.window", { version: "v1", label: "mine", offset: 0, limit: 9 });
      assert.match(JSON.stringify(page), /"rows":1,/);
      assert.deepEqual(await ask({ service: "jobs.list", params: {} }), { type: "noProject" });
      // An archive that lies elsewhere is nothing to this workspace.
      await withEngine(placeOf(files.root), (engine) => engine.request("versions.list", {}));
      assert.deepEqual(await ask({ ...versions, root: files.root }), { type: "noProject" });
    } finally {
      bare.remove();
    }
  });
});
