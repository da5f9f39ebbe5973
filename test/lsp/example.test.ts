import assert from "node:assert/strict";
import { sampleProject } from "../support/language/sampleProject.ts";
import { namedProject } from "../support/language/openProject.ts";
import { exampleMethod, ExampleReply } from "../../shared/protocol/lsp.ts";
import { connectInMemory, workspace, type Editor } from "./connect.ts";

const loops = "harness/diagnostics/loops.diagnostic.yaml";

describe("a rollout as an example", () => {
  let editor: Editor;
  let files: ReturnType<typeof workspace>;
  beforeEach(() => {
    files = workspace({ ...sampleProject, ...namedProject });
    editor = connectInMemory();
  });
  afterEach(async () => {
    await editor.stop();
    files.remove();
  });
  const ask = async (more: object): Promise<ExampleReply> =>
    ExampleReply.parse(
      await editor.connection.sendRequest(exampleMethod, {
        root: files.root,
        rollout: "run-1/r-7",
        expect: "labelled",
        ...more,
      }),
    );

  it("is an edit of the text in the editor", async () => {
    await editor.initialize([files.root], { trusted: true });
    const uri = files.uri(loops);
    const text = `# changed, not saved\n${{ ...sampleProject, ...namedProject }[loops] ?? ""}`;
    await editor.open(uri, text);
    const reply = await ask({ diagnostic: "loops" });
    assert.ok(reply.type === "edit", JSON.stringify(reply));
    assert.equal(reply.path, loops);
    assert.match(reply.text, /- \{ rollout: run-1\/r-7, expect: labelled \}/);
    assert.equal(reply.start.line, text.trimEnd().split("\n").length);
    assert.deepEqual(reply.start, reply.end);
  });

  it("for a diagnostic that comes with the product needs a copy in the project", async () => {
    await editor.initialize([files.root], { trusted: true });
    const choices = await ask({});
    assert.ok(choices.type === "choose");
    const shipped = choices.diagnostics.find((one) => one.shipped);
    assert.ok(shipped && choices.diagnostics.some(({ name, shipped: s }) => name === "loops" && !s));
    const reply = await ask({ diagnostic: shipped.name, expect: "clear" });
    assert.ok(reply.type === "shipped");
    assert.equal(reply.path, `harness/diagnostics/${shipped.name}.diagnostic.yaml`);
    assert.match(reply.text, /rollout: run-1\/r-7, expect: clear/);
  });

  it("is refused with the reason", async () => {
    await editor.initialize([files.root], { trusted: true });
    const unknown = await ask({ diagnostic: "loop" });
    assert.match(JSON.stringify(unknown), /There is no diagnostic loop .*loops/);
    const elsewhere = await ask({ root: "/nowhere", diagnostic: "loops" });
    assert.match(JSON.stringify(elsewhere), /not a project of a trusted workspace/);
  });
});
