import assert from "node:assert/strict";
import { EventEmitter } from "./support/editor/fakeVscode.ts";
import { HeldPanels, settled } from "./support/editor/heldPanels.ts";
import { inFakeEditor } from "./support/editor/inFakeEditor.ts";

const vscode = await inFakeEditor();
const { JobPanels } = await import("../client/src/jobs/jobPanel.ts");
const { RunsPanel } = await import("../client/src/jobs/runsPanel.ts");
const { Followers } = await import("../client/src/jobs/follow.ts");
const { failureTeller } = await import("../client/src/jobs/tellFailures.ts");
const { RolloutEditor } = await import("../client/src/rollout/rolloutEditor.ts");
const { GateCards } = await import("../client/src/review/gateCards.ts");
const { EvidencePanel } = await import("../client/src/evidence/evidencePanel.ts");
const { ServiceViewPanel } = await import("../client/src/page/serviceViewPanel.ts");
const { BacktestPanel } = await import("../client/src/specs/backtestPanel.ts");
const { LineagePanel } = await import("../client/src/lineage/lineagePanel.ts");
const { LineageSource } = await import("../client/src/lineage/lineageSource.ts");
const { VersionPanel } = await import("../client/src/version/versionPanel.ts");
const { testPage, testVersion } = await import("./support/lineage/lineageTable.ts");

describe("panels whose answers come late", () => {
  let panels: HeldPanels;
  beforeEach(() => {
    panels = new HeldPanels(vscode);
  });

  it("say nothing of a job, a rollout or a proposal whose page was closed meanwhile", async () => {
    const source = { onDidChange: () => undefined, state: { gates: [], why: null } };
    const jobs = new JobPanels(panels.given({ source }));
    jobs.show({ root: "/p", id: "v1.train.s1" });
    await panels.say({ type: "ready" });
    panels.last().dispose();
    await panels.engine.next("jobs.show").answer({ job: { version: "v1" } });

    const rollout = vscode.window.createWebviewPanel();
    const document = { key: { root: "/p", within: "v1", id: "r1" }, focus: null };
    new RolloutEditor(panels.given()).resolveCustomEditor(document as never, rollout as never);
    await panels.say({ type: "ready" });
    rollout.dispose();
    await panels.engine.next("rollouts.show").answer({});

    const show = (): Promise<unknown> =>
      panels.engine.engine({ service: "proposals.show", params: {} }).then(() => ({
        ...{ type: "answer", root: "/p" },
        value: { id: "v7", record: null },
      }));
    const cards = new GateCards(panels.given({ source: { ...source, show }, choice: { left: () => [] } }));
    cards.show({ root: "/p", id: "v7" });
    await panels.say({ type: "ready" });
    panels.last().dispose();
    await panels.engine.next("proposals.show").answer({});
    await panels.engine.next("proposals.show").answer({});
    assert.deepEqual(vscode.failures, []);
    assert.deepEqual(panels.errors, []);
  });

  it("show a job as the last question found it, and why it cannot be read", async () => {
    const changed = new EventEmitter<undefined>();
    const jobs = new JobPanels(panels.given({ source: { onDidChange: changed.event } }));
    jobs.show({ root: "/p", id: "v1.train.s1" });
    await panels.say({ type: "ready" });
    changed.fire(undefined);
    await settled();
    const first = panels.engine.next("jobs.show");
    await panels.engine.next("jobs.show").answer({ job: { version: "v1", state: "cancelled" } });
    await first.answer({ job: { version: "v1", state: "running" } });
    assert.deepEqual(
      panels.states().map((state) => JSON.stringify(state).includes("cancelled")),
      [true],
    );
    await panels.say({ type: "action", action: "refresh" });
    await panels.engine.next("jobs.show").fail();
    assert.match(String(panels.stateOf(-1)["cause"]), /^Job view failed/);
  });

  it("write what a person says of labels in the order in which it was said", async () => {
    const rollout = vscode.window.createWebviewPanel();
    const document = { key: { root: "/p", within: "v1", id: "r1" }, focus: null };
    new RolloutEditor(panels.given()).resolveCustomEditor(document as never, rollout as never);
    await panels.say({ type: "ready" });
    await panels.engine.next("rollouts.show").answer({ version: "v1", rollout: { run: "v1", id: "r1" } });
    await panels.say({ type: "label", label: "echo-trap", labelled: true });
    await panels.say({ type: "label", label: "echo-trap", labelled: false });
    assert.equal(panels.engine.next("rollouts.label").params["labelled"], true);
    assert.ok(!panels.engine.has("rollouts.label"));
  });

  describe("of rollouts", () => {
    const list = (version: string) => [{ version, train: 1, selection: 1 }];
    const told = (): string[] => panels.last().posted.map((message) => JSON.stringify(message));

    it("list the versions that were asked for last", async () => {
      const evidence = new EvidencePanel(panels.given());
      evidence.show(undefined, undefined);
      await panels.say({ type: "ready" });
      const first = panels.engine.next("versions.list");
      panels.engine.changed.fire(undefined);
      await panels.engine.next("versions.list").answer(list("v2"));
      await first.answer(list("v1"));
      assert.equal(panels.states().length, 1);
      assert.match(told().at(-1) ?? "", /v2/);
    });

    it("show what was asked for last, though another wish waited for the page", async () => {
      const evidence = new EvidencePanel(panels.given());
      evidence.show({ version: "v1" }, undefined);
      await panels.say({ type: "ready" });
      evidence.show({ version: "v2" }, undefined);
      await panels.engine.next("versions.list").answer(list("v2"));
      assert.deepEqual(
        panels.posted("reveal").map(({ query }) => query),
        [{ version: "v2" }],
      );
    });

    it("list the versions of another project that is to be shown, and stay with it", async () => {
      const evidence = new EvidencePanel(panels.given());
      evidence.show(undefined, undefined);
      await panels.say({ type: "ready" });
      await panels.engine.next("versions.list").answer(list("v1"));
      panels.engine.changed.fire(undefined);
      const late = panels.engine.next("versions.list");
      evidence.show({ version: "w1" }, "/q");
      await late.answer(list("v1"));
      const asked = panels.engine.next("versions.list");
      assert.equal(asked.root, "/q");
      await asked.answer(list("w1"), "/q");
      assert.match(told().at(-2) ?? "", /"state".*w1/);
      assert.match(told().at(-1) ?? "", /"reveal".*w1/);
    });

    it("say why rows and groups cannot be read", async () => {
      const evidence = new EvidencePanel(panels.given());
      evidence.show(undefined, undefined);
      const query = { version: "v1", orderBy: "arrival", descending: false };
      await panels.say({ type: "page", id: 1, query, offset: 0, limit: 100, list: null, counts: true });
      await panels.engine.next("rollouts.window").fail();
      assert.match(told().at(-1) ?? "", /"refused".*Evidence failed/);
    });
  });

  it("say why a view of a service, a replay and the items of versions cannot be read", async () => {
    const view = new ServiceViewPanel("Items", "versions.items", panels.given());
    view.show();
    await panels.say({ type: "ask", id: 1, params: {} });
    await panels.engine.next("versions.items").fail();
    assert.match(JSON.stringify(panels.last().posted.at(-1)), /"refused".*Items failed/);

    const report = (): Promise<never> => Promise.reject(new Error("broken pipe"));
    const backtests = new BacktestPanel(panels.given({ server: { report } }));
    const target = { root: "/p", uri: "file:///p/a.diagnostic.yaml", subject: "a" };
    await backtests.show(target);
    await panels.say({ type: "ready" });
    assert.match(JSON.stringify(panels.stateOf(-1)), /"refused".*Backtest failed/);

    const items = (): Promise<never> => Promise.reject(new Error("broken pipe"));
    const source = { onPage: () => undefined, onDidChange: () => undefined };
    new LineagePanel(panels.given({ source, items })).show();
    await panels.say({ type: "items", id: 1, versions: ["v1"] });
    assert.match(JSON.stringify(panels.last().posted.at(-1)), /"refused".*Items failed/);
  });

  describe("of the lineage", () => {
    it("say of labels what was found last", async () => {
      const changed = new EventEmitter<unknown>();
      const state = { type: "lineage", table: { name: [], score: [] } };
      const answers: ((people: readonly string[]) => void)[] = [];
      const people = (): Promise<readonly string[]> => new Promise((resolve) => answers.push(resolve));
      const source = { state, pages: [], onPage: () => undefined, onDidChange: changed.event };
      new LineagePanel(panels.given({ source, people })).show();
      await panels.say({ type: "ready" });
      changed.fire(state);
      await settled();
      answers[1]?.(["now"]);
      answers[0]?.(["before"]);
      await settled();
      assert.deepEqual(
        panels.posted("people").map((message) => message["people"]),
        [["now"]],
      );
    });

    it("give back what somebody wrote and the engine did not take", async () => {
      const source = {
        state: { type: "loading" },
        pages: [],
        onPage: () => undefined,
        onDidChange: () => undefined,
      };
      const note = (_: unknown, { what }: { what: string }): Promise<void> =>
        what === "tag" ? Promise.resolve() : Promise.reject(new Error("The ledger is locked."));
      new LineagePanel(panels.given({ source, note })).show();
      await panels.say({ type: "ready" });
      for (const [what, value] of [
        ["tag", "taken"],
        ["text", "too late"],
        ["untag", "old"],
      ])
        await panels.say({ type: "note", name: "v1", what, value });
      assert.deepEqual(
        panels.posted("refusedNote").map(({ name, value }) => [name, value]),
        [["v1", "too late"]],
      );
    });

    it("give back what was refused while it was covered, and to the version of its project", async () => {
      const refuse: (() => void)[] = [];
      const note = (): Promise<void> =>
        new Promise((_, reject) => refuse.push(() => reject(new Error("The ledger is locked."))));
      const source = { state: { type: "loading" }, onPage: () => undefined, onDidChange: () => undefined };
      new LineagePanel(panels.given({ source: { ...source, pages: [] }, note })).show();
      await panels.say({ type: "ready" });
      for (const value of ["while covered", "while made anew"])
        await panels.say({ type: "note", root: "/p", name: "v1", what: "text", value });
      panels.cover();
      refuse[0]?.();
      await settled();
      panels.last().visible = true;
      refuse[1]?.();
      await settled();
      assert.equal(panels.posted("refusedNote").length, 0);
      await panels.say({ type: "ready" });
      await panels.say({ type: "ready" });
      assert.deepEqual(
        panels.posted("refusedNote").map(({ root, name, value }) => [root, name, value]),
        [
          ["/p", "v1", "while covered"],
          ["/p", "v1", "while made anew"],
        ],
      );
    });

    it("are not told of an absence that a lineage has overtaken", async () => {
      let state = "starting";
      const page = testPage([testVersion("v1", {})], {});
      const server = {
        ...{ onChange: panels.engine.changed.event, state: () => state },
        lineage: () => Promise.resolve({ type: "lineage", root: "/p", page }),
      };
      const source = new LineageSource(server as never, panels.log as never);
      const told: string[] = [];
      source.onPage(() => told.push("page"));
      source.onDidChange(({ type }) => told.push(type));
      // The editor is busy, and takes its time to hear that the lineage is being read.
      let release = (): void => undefined;
      vscode.held.commands = new Promise<void>((resolve) => (release = resolve));
      void source.refresh();
      state = "running";
      void source.refresh();
      await settled();
      release();
      await settled();
      assert.ok(told.includes("page"));
      assert.deepEqual(
        told.slice(told.indexOf("page")).filter((type) => type === "loading"),
        [],
      );
    });
  });

  describe("of the curves of jobs", () => {
    const shown = (names: readonly string[]) => ({ runs: [{ alarms: names }], others: [] });
    const alarms = (falseAlarms: number) => ({ alarms: [{ name: "flat", healthy: 19, falseAlarms }] });
    const records = (): unknown => panels.stateOf(-1)["records"];

    it("ask again what alarms are worth when that was refused, and for each project", async () => {
      const changed = new EventEmitter<undefined>();
      const runs = new RunsPanel(panels.given({ source: { onDidChange: changed.event } }));
      runs.show();
      const again = async (root = "/p"): Promise<void> => {
        await panels.engine.next("jobs.curves").answer(shown(["flat"]), root);
      };
      await panels.say({ type: "ready" });
      await again();
      await panels.engine.next("versions.tripwires").refuse();
      changed.fire(undefined);
      await again();
      await panels.engine.next("versions.tripwires").answer(alarms(2));
      await again();
      assert.deepEqual(records(), alarms(2).alarms);
      changed.fire(undefined);
      await again("/q");
      assert.equal(records(), undefined);
      assert.equal(panels.engine.next("versions.tripwires").root, "/q");
    });

    it("ask for no run that somebody chose in a page that was closed", async () => {
      const runs = new RunsPanel(panels.given({ source: { onDidChange: () => undefined } }));
      runs.show();
      await panels.say({ type: "ask", jobs: ["a"] });
      assert.deepEqual(panels.engine.next("jobs.curves").params, { jobs: ["a"] });
      panels.last().dispose();
      runs.show();
      await panels.say({ type: "ready" });
      assert.deepEqual(panels.engine.next("jobs.curves").params, { jobs: [] });
    });
  });

  it("are others for jobs and proposals of the same name in another project", async () => {
    const source = { onDidChange: () => undefined, state: { root: "/a", gates: [], why: null } };
    const show = (_: string, { root }: { root: string }): Promise<unknown> =>
      panels.engine.engine({ root, service: "proposals.show", params: {} });
    const jobs = new JobPanels(panels.given({ source }));
    const cards = new GateCards(panels.given({ source: { ...source, show }, choice: { left: () => [] } }));
    for (const [shown, service] of [
      [jobs, "jobs.show"],
      [cards, "proposals.show"],
    ] as const) {
      const before = vscode.panels.length;
      for (const root of ["/a", "/b"]) {
        shown.show({ root, id: "v2" });
        await panels.say({ type: "ready" });
        assert.equal(panels.engine.next(service).root, root);
      }
      shown.show({ root: "/a", id: "v2" });
      assert.equal(vscode.panels.length, before + 2);
    }
  });

  it("are others for what the jobs and evolutions of two projects print, and follow them after a reload", async () => {
    let kept: unknown = ["job:of an earlier release"];
    const memento = {
      get: () => kept,
      update: (_: string, value: unknown) => Promise.resolve(void (kept = value)),
    };
    const asked = (service: string): unknown[] => {
      const roots: unknown[] = [];
      while (panels.engine.has(service)) roots.push(panels.engine.next(service).root);
      return roots;
    };
    const followers = new Followers(panels.given({ memento }));
    followers.restore();
    for (const root of ["/a", "/b", "/a"]) {
      followers.job({ root, id: "v1.train.s1" });
      followers.evolution(root);
    }
    await settled();
    assert.deepEqual(
      [asked("jobs.log"), asked("evolution.events")],
      [
        ["/a", "/b"],
        ["/a", "/b"],
      ],
    );
    new Followers(panels.given({ memento })).restore();
    await settled();
    assert.deepEqual(
      [asked("jobs.log"), asked("evolution.events")],
      [
        ["/a", "/b"],
        ["/a", "/b"],
      ],
    );
    for (const terminal of vscode.terminals.splice(0)) terminal.close();
  });

  it("show a version that was chosen while the panel was covered", async () => {
    let choose: (name: string) => void = () => undefined;
    const versions = new VersionPanel(
      panels.given({
        changed: () => undefined,
        choose: () => new Promise<string>((resolve) => (choose = resolve)),
      }),
    );
    versions.show(["v1"], "/p");
    await panels.say({ type: "ready" });
    await panels.say({ type: "add", root: "/p", names: ["v1"] });
    panels.last().visible = false;
    choose("v2");
    await settled();
    await panels.say({ type: "ready" });
    assert.deepEqual(panels.posted("show").at(-1)?.["names"], ["v1", "v2"]);
  });

  it("take the failures of another project for no news", () => {
    const failed = (id: string) => ({ id, version: id, state: "failed", failure: { message: "It broke." } });
    const kept = new Map<string, unknown>();
    const memento = {
      get: (name: string) => kept.get(name),
      update: (name: string, value: unknown) => kept.set(name, value),
    };
    const evolution = { state: "none", message: "" };
    const source = { state: { type: "jobs", root: "/p", jobs: [failed("a")], evolution } };
    const tell = failureTeller(panels.given({ memento, source }));
    tell();
    source.state = { ...source.state, root: "/q", jobs: [failed("b")] };
    tell();
    assert.deepEqual(vscode.failures, []);
    source.state = { ...source.state, jobs: [failed("b"), failed("c")] };
    tell();
    assert.equal(vscode.failures.length, 1);
  });
});
