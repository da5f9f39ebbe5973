import assert from "node:assert/strict";
import { proposalFixture } from "./editor/ui/gateFixture.ts";
import { EventEmitter } from "./support/editor/fakeVscode.ts";
import { HeldPanels, settled } from "./support/editor/heldPanels.ts";
import { inFakeEditor } from "./support/editor/inFakeEditor.ts";

const vscode = await inFakeEditor();
const { HunkThreads } = await import("../client/src/review/hunkThreads.ts");
const { proposalUri } = await import("../client/src/review/proposalTexts.ts");
const { GateCards } = await import("../client/src/review/gateCards.ts");

describe("cards and comments of proposals whose answers come late", () => {
  let panels: HeldPanels;
  beforeEach(() => {
    panels = new HeldPanels(vscode);
  });

  describe("of a gate", () => {
    const changed = new EventEmitter<undefined>();
    const proposal = { id: "v7", record: null, files: [], commit: "c" };
    const showing = (): void => {
      const show = (id: string, { record = false }: { record?: boolean } = {}) =>
        panels.engine
          .engine({ service: record ? "proposals.record" : "proposals.show", params: { id } })
          .then((reply) =>
            reply.type === "answer"
              ? { type: "answer", root: "/p", value: reply.result }
              : { type: "none", cause: "Refused.", advice: "" },
          );
      const source = { onDidChange: changed.event, state: { gates: [], why: null }, show };
      const cards = new GateCards(panels.given({ source, choice: { left: () => [], taken: () => [] } }));
      cards.show({ root: "/p", id: "v7" });
    };

    it("says why it cannot be read, and reads again once something has changed", async () => {
      showing();
      await panels.say({ type: "ready" });
      await panels.engine.next("proposals.show").fail();
      assert.match(JSON.stringify(panels.stateOf(-1)), /"missing".*Gate card failed/);
      changed.fire(undefined);
      await settled();
      await panels.engine.next("proposals.show").answer(proposal);
      assert.equal(panels.stateOf(-1)["type"], "proposal");
    });

    it("goes on looking up the record when an answer was refused meanwhile", async () => {
      showing();
      await panels.say({ type: "ready" });
      await panels.engine.next("proposals.show").answer(proposal);
      assert.equal(panels.stateOf(-1)["recordPending"], true);
      await panels.say({ type: "approve" });
      await panels.engine.next("proposals.show").answer(proposal);
      await panels.engine.next("proposals.show").answer(proposal);
      assert.deepEqual(panels.stateOf(-1)["isBusy"], false);
      await panels.engine.next("proposals.record").answer({ ...proposal, record: { proposer: "ada" } });
      await panels.engine.next("proposals.show").answer(proposal);
      await panels.engine.next("proposals.record").answer({ ...proposal, record: { proposer: "ada" } });
      assert.match(JSON.stringify(panels.stateOf(-1)), /"proposer":"ada"/);
    });

    it("answers again when the proposal cannot be read after an answer", async () => {
      showing();
      await panels.say({ type: "ready" });
      await panels.engine.next("proposals.show").answer(proposal);
      await panels.say({ type: "approve" });
      await panels.engine.next("proposals.show").answer(proposal);
      await panels.engine.next("proposals.show").fail();
      changed.fire(undefined);
      await settled();
      while (panels.engine.has("proposals.show")) await panels.engine.next("proposals.show").answer(proposal);
      assert.equal(panels.stateOf(-1)["isBusy"], false);
    });
  });

  describe("of the lines of a proposal", () => {
    const proposal = (commit: string, state: string) => ({
      ...{ ...proposalFixture, id: "v7", commit, state },
      files: [
        { path: "a.yaml", hunks: [{ id: "h", added: ["x"], removed: [], proposedStart: 0, baseStart: 0 }] },
      ],
    });
    const address = { root: "/p", id: "v7", commit: "c1", file: "a.yaml" };
    const uri = proposalUri({ ...address, side: "proposed" });
    const changed = new EventEmitter<undefined>();
    let comments: { dispose(): void } | undefined;
    let source = { state: { root: "/p" }, waiting: [{ id: "v7", commit: "c1" }] };
    const open = (): void => {
      vscode.threads.clear();
      vscode.workspace.textDocuments.splice(0, Infinity, { uri });
      const show = (_: string, { record = false }: { record?: boolean } = {}) =>
        panels.engine
          .engine({ service: record ? "proposals.record" : "proposals.show", params: {} })
          .then((reply) =>
            reply.type === "answer" ? { type: "answer", value: reply.result } : { type: "none", cause: "" },
          );
      source = { state: { root: "/p" }, waiting: [{ id: "v7", commit: "c1" }] };
      Object.assign(source, { show, onDidChange: changed.event });
      comments = new HunkThreads(source as never, { left: () => [] } as never);
    };
    afterEach(() => comments?.dispose());
    after(() => vscode.workspace.textDocuments.splice(0));

    it("are there once the engine can be asked", async () => {
      open();
      await panels.engine.next("proposals.show").refuse();
      assert.equal(vscode.threads.size, 0);
      changed.fire(undefined);
      await settled();
      await panels.engine.next("proposals.show").answer(proposal("c1", "waiting"));
      assert.equal(vscode.threads.size, 1);
    });

    it("are not there when it was answered while it was read", async () => {
      open();
      source.waiting = [];
      await panels.engine.next("proposals.show").answer(proposal("c1", "waiting"));
      assert.equal(vscode.threads.size, 0);
    });

    it("are there while another project is shown, until the proposal of theirs is answered", async () => {
      open();
      source.state = { root: "/q" };
      source.waiting = [];
      await panels.engine.next("proposals.show").answer(proposal("c1", "waiting"));
      assert.equal(vscode.threads.size, 1);
      const changes = async (state: string): Promise<number> => {
        changed.fire(undefined);
        await settled();
        await panels.engine.next("proposals.show").answer(proposal("c1", state));
        return vscode.threads.size;
      };
      assert.equal(await changes("waiting"), 1);
      assert.equal(await changes("taken"), 0);
    });
  });
});
