import assert from "node:assert/strict";
import { mock } from "node:test";
import type { EvolutionStatus } from "../shared/protocol/views/evolution.ts";
import { proposalFixture } from "./editor/ui/gateFixture.ts";
import { HeldPanels, settled } from "./support/editor/heldPanels.ts";
import { inFakeEditor } from "./support/editor/inFakeEditor.ts";
import { gymA, gymB, TwoProjects } from "./support/editor/twoProjects.ts";
import { testVersion } from "./support/lineage/lineageTable.ts";

const vscode = await inFakeEditor();
const { ProjectChoice } = await import("../client/src/project/projectChoice.ts");
const { EvidencePanel } = await import("../client/src/evidence/evidencePanel.ts");
const { registerJobs } = await import("../client/src/jobs/registerJobs.ts");
const { registerLineage } = await import("../client/src/lineage/registerLineage.ts");
const { LineageTree } = await import("../client/src/lineage/lineageTree.ts");
const { registerReview } = await import("../client/src/review/registerReview.ts");
const { registerSpecs } = await import("../client/src/specs/registerSpecs.ts");
const { registerVersions } = await import("../client/src/version/registerVersions.ts");

const hunk = (id: string) => ({ id, baseStart: 0, proposedStart: 0, removed: [], added: ["x"] });
const proposal = {
  ...{ ...proposalFixture, id: "v2", commit: "c1", title: "t", state: "waiting", record: null },
  files: [{ path: "a.yaml", base: "", proposed: "", hunks: [hunk("h1"), hunk("h2")] }],
};
const standing: EvolutionStatus = {
  ...{ state: "none", message: "", waiting: [], owner: { type: "none", pid: null }, events: null },
  ...{ pid: null, host: null, startedAt: null, phase: null, step: null, generation: 0, generations: 0 },
  ...{ hosts: [], usualHosts: [] },
};
type Listed = { readonly why: string; readonly proposals: readonly object[] };
const listed = (...proposals: readonly object[]): Listed => ({ why: "a person decides", proposals });

describe("a window with two projects", () => {
  let panels: HeldPanels;
  let two: TwoProjects;
  let waiting: Record<string, Listed | undefined>;
  let toDispose: { dispose(): unknown }[] = [];
  const own = <T extends { dispose(): unknown }>(part: T): T => {
    toDispose.push(part);
    return part;
  };
  const run = (command: string, ...given: unknown[]): Promise<unknown> =>
    vscode.commands.executeCommand(command, ...given);

  beforeEach(async () => {
    panels = new HeldPanels(vscode);
    vscode.ran.length = 0;
    vscode.person.answers = () => Promise.resolve(undefined);
    const kept = new Map<string, unknown>();
    const project = new ProjectChoice({
      ...{ keys: () => [], get: (key: string) => kept.get(key) as never },
      update: (key, value) => Promise.resolve(void kept.set(key, value)),
    });
    two = new TwoProjects(panels, project);
    project.found([gymA, gymB]);
    await two.choose(gymA);
    waiting = { [gymA]: listed(proposal), [gymB]: listed() };
    Object.assign(two.answers, {
      "proposals.list": (root: string) => waiting[root],
      "proposals.show": () => proposal,
      "proposals.answer": () => ({ state: "taken", branch: "b", hunks: null }),
      "evolution.status": () => ({ ...standing, state: "gate", message: "waits" }),
      "evolution.continue": () => ({ state: "running", message: "" }),
      "jobs.list": () => ({ jobs: [], total: 0, spending: [] }),
    });
  });
  afterEach(() => {
    for (const part of toDispose) part.dispose();
    for (const terminal of vscode.terminals.splice(0)) terminal.close();
    toDispose = [];
  });

  const reviews = async (): Promise<void> => {
    const { source } = own(registerLineage(two.given({ evidence: { show: () => undefined } })));
    const on = { showEvidence: () => undefined, tellStanding: () => undefined };
    for (const part of registerReview(two.given({ lineage: source }), on)) own(part);
    own(registerJobs(two.given()));
    two.changed.fire(undefined);
    await settled();
  };

  describe("in the card of a proposal", () => {
    beforeEach(reviews);
    const opens = async (): Promise<void> => {
      await run("evotrainer.showGate", { id: "v2" });
      await panels.say({ type: "ready" });
    };

    it("goes on with the evolution of the card's project after an approval, and else with that of the chosen one", async () => {
      await opens();
      await two.choose(gymB);
      await panels.say({ type: "approve" });
      assert.deepEqual(two.rootsOf("evolution.continue"), [gymA]);
      await run("evotrainer.continueEvolution");
      await run("evotrainer.continueEvolution", { root: gymA });
      assert.deepEqual(two.rootsOf("evolution.continue"), [gymB, gymA]);
    });

    for (const [how, leave] of [
      ["another project is shown", () => two.choose(gymB)],
      [
        "the engine refuses once",
        async () => {
          waiting = {};
          await run("evotrainer.refreshProposals");
        },
      ],
    ] as const)
      it(`leaves out what was left out before ${how}`, async () => {
        await opens();
        await panels.say({ type: "choose", hunk: "h2", taken: false });
        await leave();
        await settled();
        await panels.say({ type: "approve" });
        const { params } = two.asked.find(({ service }) => service === "proposals.answer") ?? {};
        assert.deepEqual(params, { id: "v2", answer: { type: "approve", hunks: ["h1"] } });
      });

    it("shows its version in the lineage of its project, and says so where that is not open", async () => {
      await opens();
      await two.choose(gymB);
      const card = panels.last();
      two.versions[gymA] = [testVersion("v2")];
      card.said.fire({ protocol: 1, type: "showVersion", version: "v2" });
      await settled();
      await panels.say({ type: "ready" });
      assert.deepEqual(
        panels.posted("page").map(({ root }) => root),
        [gymA],
      );
      assert.deepEqual(
        panels.posted("reveal").map(({ name }) => name),
        ["v2"],
      );
      await run("evotrainer.showLineage", { root: "/elsewhere", name: "v2" });
      assert.match(vscode.failures.at(-1) ?? "", /belongs to the project \/elsewhere, which is not open/);
    });

    it("follows the evolution of the project that was chosen, also where its jobs cannot be read", async () => {
      delete two.answers["jobs.list"];
      await run("evotrainer.refreshJobs");
      await run("evotrainer.followEvolution");
      await two.choose(gymB);
      assert.deepEqual(
        vscode.terminals.map(({ name }) => name),
        ["Evolution (gym-a)"],
      );
    });

    it("says of which project it is, also once there is another one, as do job pages and logs", async () => {
      two.project.found([gymA]);
      await opens();
      await run("evotrainer.followLog", { root: gymB, id: "v0.train.s1" });
      assert.deepEqual([panels.last().title, vscode.terminals[0]?.name], ["v2", "Log v0.train.s1"]);
      two.project.found([gymA, gymB]);
      assert.equal(panels.last().title, "v2 (gym-a)");
      await run("evotrainer.showJob", { root: gymB, id: "v1.train.s1" });
      assert.equal(panels.last().title, "v1.train.s1 (gym-b)");
      await run("evotrainer.followLog", { root: gymB, id: "v1.train.s1" });
      two.answers["evolution.events"] = () => ({ id: null, events: [], next: 0, over: true });
      await two.choose(gymB);
      await run("evotrainer.followEvolution", { root: gymA });
      await settled();
      assert.match(vscode.terminals.at(-1)?.text ?? "", /choose its project \(gym-a\) with .* and run/);
      assert.deepEqual(
        vscode.terminals.map(({ name }) => name),
        ["Log v0.train.s1 (gym-b)", "Log v1.train.s1 (gym-b)", "Evolution (gym-a)"],
      );
    });
  });

  it("tells of a proposal that begins to wait in one of them, and opens the card of that one", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      waiting = { [gymA]: listed(), [gymB]: listed({ ...proposal, id: "v5" }, proposal) };
      await reviews();
      const told: unknown[] = [];
      let review: (answer: string) => void = () => undefined;
      vscode.person.answers = (asked) => {
        told.push(asked);
        return new Promise((resolve) => (review = resolve));
      };
      const settles = async (): Promise<void> => {
        mock.timers.tick(2100);
        await settled();
      };
      waiting[gymA] = listed(proposal);
      await run("evotrainer.refreshProposals");
      await settles();
      await two.choose(gymB);
      await settles();
      await run("evotrainer.refreshProposals");
      await settles();
      assert.deepEqual(told, ["v2 (gym-a) is waiting for your approval: t"]);
      const answer = review;
      waiting[gymB] = listed(proposal, { ...proposal, id: "v6" });
      await run("evotrainer.refreshProposals");
      await settles();
      assert.deepEqual(told.slice(1), ["v6 (gym-b) is waiting for your approval: t"]);
      answer("Review");
      await settled();
      await panels.say({ type: "ready" });
      assert.equal(panels.last().title, "v2 (gym-a)");
    } finally {
      mock.timers.reset();
    }
  });

  describe("asks a person", () => {
    /** The person chooses the other project before answering. */
    const answers = (answer: unknown): void => {
      vscode.person.answers = async () => {
        await two.choose(gymB);
        return answer;
      };
    };
    beforeEach(async () => {
      two.versions[gymA] = [testVersion("v1", { factor: "reward" }), testVersion("v2", { parent: "v1" })];
      for (const service of ["note", "versions.revert", "versions.promote"])
        two.answers[service] = () => ({ version: "v3", filesOf: "v1", reason: "" });
      await reviews();
    });

    it("and writes a note, reverts and promotes in the project that it asked about", async () => {
      answers("words");
      for (const [command, service] of [
        ["evotrainer.noteVersion", "note"],
        ["evotrainer.revertVersion", "versions.revert"],
      ] as const) {
        await two.choose(gymA);
        await run(command, { name: "v2", index: 1 });
        assert.deepEqual(two.rootsOf(service), [gymA], command);
      }
      answers("Promote");
      await two.choose(gymA);
      await run("evotrainer.promoteVersion", { name: "v1", index: 0 });
      assert.deepEqual(two.rootsOf("versions.promote"), [gymA]);
    });

    it("for a note again, with what was written where the engine did not take it", async () => {
      const written: unknown[] = [];
      vscode.person.answers = (asked) => {
        if (typeof asked === "object" && asked !== null && "prompt" in asked)
          written.push("value" in asked ? asked.value : "");
        return Promise.resolve("words");
      };
      const note = two.answers["note"];
      delete two.answers["note"];
      await run("evotrainer.noteVersion", { name: "v2", index: 1 });
      await run("evotrainer.tagVersion", { name: "v2", index: 1 });
      await run("evotrainer.noteVersion", { name: "v1", index: 0 });
      assert.deepEqual(written, ["", "", ""]);
      two.answers["note"] = note ?? assert.fail();
      await run("evotrainer.noteVersion", { name: "v2", index: 1 });
      await run("evotrainer.noteVersion", { name: "v2", index: 1 });
      assert.deepEqual(written.slice(3), ["words", ""]);
    });

    it("what to do about an answer that is refused, and shows the card that was answered", async () => {
      delete two.answers["proposals.answer"];
      answers("Show Gate");
      await run("evotrainer.approveProposal");
      await settled();
      assert.match(vscode.failures.at(-1) ?? "", /being handed over/);
      assert.equal(panels.last().title, "v2 (gym-a)");
    });

    it("for a reason, and rejects the proposal of the project that it asked about", async () => {
      answers("no");
      await run("evotrainer.rejectProposal");
      assert.deepEqual(two.rootsOf("proposals.answer"), [gymA]);
    });

    it("where jobs should run or what becomes of them, and starts and stops that evolution", async () => {
      two.answers["evolution.status"] = () => ({ ...standing, hosts: ["h"] });
      for (const service of ["evolution.start", "evolution.stop"])
        two.answers[service] = () => ({ state: "running", message: "" });
      answers({ host: "h" });
      await run("evotrainer.evolve");
      assert.deepEqual(two.rootsOf("evolution.start"), [gymA]);
      await two.choose(gymA);
      answers("Stop");
      await run("evotrainer.stopEvolution");
      assert.deepEqual(two.rootsOf("evolution.stop"), [gymA]);
    });
  });

  it("lists rollouts of the chosen project where no other is meant", async () => {
    const evidence = own(new EvidencePanel(two.given()));
    two.answers["versions.list"] = () => [{ version: "v1", train: 1, selection: 1 }];
    await two.choose(gymB);
    evidence.show({ version: "v1" }, gymA);
    await panels.say({ type: "ready" });
    evidence.show({ version: "v1" }, undefined);
    await settled();
    const query = { version: "v1", orderBy: "arrival", descending: false };
    await panels.say({ type: "page", id: 1, query, offset: 0, limit: 100, list: null, counts: true });
    assert.deepEqual([...new Set(two.rootsOf("versions.list"))], [gymA, gymB]);
    assert.deepEqual([...new Set(two.rootsOf("rollouts.window"))], [gymB]);
  });

  it("knows of the rows of its lineage in which project they are", async () => {
    two.versions[gymA] = [testVersion("v1")];
    const { source } = own(registerLineage(two.given({ evidence: { show: () => undefined } })));
    const tree = own(new LineageTree(source));
    await source.refresh();
    assert.deepEqual(tree.getChildren(), [{ root: gymA, name: "v1", index: 0 }]);
  });

  it("sets versions of its own project beside those of a page", async () => {
    const { source } = own(registerLineage(two.given({ evidence: { show: () => undefined } })));
    own(registerVersions(two.given({ source, evidence: { show: () => undefined } })));
    two.versions[gymA] = [testVersion("v1"), testVersion("a2")];
    two.versions[gymB] = [testVersion("v1"), testVersion("b2")];
    await two.choose(gymB);
    await run("evotrainer.compareVersions", { root: gymA, names: ["v1"] });
    await panels.say({ type: "ready" });
    let offered: unknown;
    vscode.person.answers = (items) => {
      offered = items;
      return Promise.resolve({ label: "a2" });
    };
    await panels.say({ type: "add", root: gymA, names: ["v1"] });
    assert.match(JSON.stringify(offered), /"a2".*"v1"/);
    assert.deepEqual(
      panels.posted("show").map(({ root, names }) => [root, names]),
      [
        [gymA, ["v1"]],
        [gymA, ["v1", "a2"]],
      ],
    );
    await panels.say({ type: "lineage", root: gymA, name: "v1" });
    await panels.say({ type: "ready" });
    assert.deepEqual(
      panels.posted("page").map(({ root }) => root),
      [gymA],
    );
  });

  it("applies a skill in its project, and keeps by project of which version the rates are", async () => {
    two.answers["skills.apply"] = () => ({ proposals: [{ id: "v9" }] });
    const lineage = { root: gymA, versions: [testVersion("v1")] };
    own(registerSpecs(two.given({ lineage })));
    await two.choose(gymB);
    await run("evotrainer.applySkill", { root: gymA, name: "shorter" });
    assert.deepEqual(two.rootsOf("skills.apply"), [gymA]);
    assert.deepEqual(vscode.ran.at(-1), ["evotrainer.openProposal", { root: gymA, id: "v9" }]);

    vscode.person.answers = () => Promise.resolve({ name: "v1" });
    await run("evotrainer.chooseDiagnosticsVersion");
    const asked = async (root: string): Promise<unknown> => {
      await two.choose(root);
      two.rootsOf("diagnostics.list");
      await run("evotrainer.refreshSpecs");
      return two.asked.findLast(({ service }) => service === "diagnostics.list")?.params;
    };
    assert.deepEqual(await asked(gymA), { version: "v1" });
    assert.deepEqual(await asked(gymB), {});
  });
});
