import assert from "node:assert/strict";
import type { EngineReply } from "../shared/protocol/services/service.ts";
import { proposalFixture } from "./editor/ui/gateFixture.ts";
import { EventEmitter, type FakePanel } from "./support/editor/fakeVscode.ts";
import { inFakeEditor } from "./support/editor/inFakeEditor.ts";

const vscode = await inFakeEditor();
const { JobPanels } = await import("../client/src/jobs/jobPanel.ts");
const { RunsPanel } = await import("../client/src/jobs/runsPanel.ts");
const { failureTeller } = await import("../client/src/jobs/tellFailures.ts");
const { RolloutEditor } = await import("../client/src/rollout/rolloutEditor.ts");
const { HunkThreads } = await import("../client/src/review/hunkThreads.ts");
const { GateCards } = await import("../client/src/review/gateCards.ts");
const { EvidencePanel } = await import("../client/src/evidence/evidencePanel.ts");
const { ServiceViewPanel } = await import("../client/src/page/serviceViewPanel.ts");
const { BacktestPanel } = await import("../client/src/specs/backtestPanel.ts");
const { LineagePanel } = await import("../client/src/lineage/lineagePanel.ts");
const { LineageSource } = await import("../client/src/lineage/lineageSource.ts");
const { VersionPanel } = await import("../client/src/version/versionPanel.ts");
const { testPage, testVersion } = await import("./support/lineage/lineageTable.ts");

type Asked = { readonly root?: string; readonly service: string; readonly params: Record<string, unknown> };
type Question = Asked & {
  readonly answer: (result: unknown, root?: string) => Promise<void>;
  readonly refuse: () => Promise<void>;
  readonly fail: () => Promise<void>;
};

/** Everything that has begun by itself has come as far as it can. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}

/** An engine whose questions the test answers, each when it likes. */
class HeldEngine {
  readonly changed = new EventEmitter<undefined>();
  readonly #asked: Question[] = [];
  readonly engine = (asked: Asked): Promise<EngineReply<unknown>> =>
    new Promise((resolve, reject) => {
      this.#asked.push({
        ...asked,
        answer: (result, root = "/p") => {
          resolve({ type: "answer", root, result });
          return settled();
        },
        refuse: () => {
          resolve({ type: "refused", reason: "storeBusy", message: "The archive is being handed over." });
          return settled();
        },
        fail: () => {
          reject(new Error("broken pipe"));
          return settled();
        },
      });
    });

  /** The next question that nobody has looked at. */
  next(service: string): Question {
    const at = this.#asked.findIndex((asked) => asked.service === service);
    const [found] = at < 0 ? [] : this.#asked.splice(at, 1);
    assert.ok(found, `${service} is asked`);
    return found;
  }

  has(service: string): boolean {
    return this.#asked.some((asked) => asked.service === service);
  }
}

describe("panels whose answers come late", () => {
  let held: HeldEngine;
  let errors: unknown[];
  /** What every panel is given, as far as it looks at it. */
  let deps: object;
  const log = {
    error: (...said: unknown[]) => errors.push(said),
    warn: () => undefined,
    info: () => undefined,
  };
  beforeEach(() => {
    held = new HeldEngine();
    errors = [];
    vscode.panels.length = vscode.failures.length = 0;
    vscode.held.commands = Promise.resolve();
    const server = { state: () => "running", onChange: held.changed.event, engine: held.engine };
    deps = { extensionUri: "/ext", log, server, project: { onDidChange: () => undefined } };
  });
  /** Whatever a panel asks for beyond that, a test that gets there fails. */
  const given = (more: object = {}): never => ({ ...deps, ...more }) as never;
  const panel = (): FakePanel => {
    const last = vscode.panels.at(-1);
    assert.ok(last, "a panel is open");
    return last;
  };
  const say = async (message: object): Promise<void> => {
    // Each page has a protocol of its own version; of others a message is dropped.
    for (const protocol of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) panel().said.fire({ protocol, ...message });
    await settled();
  };
  const posted = (type: string): Record<string, unknown>[] =>
    panel().posted.filter(
      (m): m is Record<string, unknown> =>
        typeof m === "object" && m !== null && "type" in m && m.type === type,
    );
  const states = (): unknown[] => posted("state").map(({ state }) => state);
  const stateOf = (at: number): Record<string, unknown> => {
    const found = states().at(at);
    assert.ok(typeof found === "object" && found !== null);
    return { ...found };
  };

  it("say nothing of a job, a rollout or a proposal whose page was closed meanwhile", async () => {
    const source = { onDidChange: () => undefined, state: { gates: [], why: null } };
    const jobs = new JobPanels(given({ source }));
    jobs.show({ root: "/p", id: "v1.train.s1" });
    await say({ type: "ready" });
    panel().dispose();
    await held.next("jobs.show").answer({ job: { version: "v1" } });

    const rollout = vscode.window.createWebviewPanel();
    const document = { key: { root: "/p", within: "v1", id: "r1" }, focus: null };
    new RolloutEditor(given()).resolveCustomEditor(document as never, rollout as never);
    await say({ type: "ready" });
    rollout.dispose();
    await held.next("rollouts.show").answer({});

    const show = (): Promise<unknown> =>
      held.engine({ service: "proposals.show", params: {} }).then(() => ({
        ...{ type: "answer", root: "/p" },
        value: { id: "v7", record: null },
      }));
    const cards = new GateCards(given({ source: { ...source, show }, choice: { left: () => [] } }));
    cards.show({ root: "/p", id: "v7" });
    await say({ type: "ready" });
    panel().dispose();
    await held.next("proposals.show").answer({});
    await held.next("proposals.show").answer({});
    assert.deepEqual(vscode.failures, []);
    assert.deepEqual(errors, []);
  });

  it("show a job as the last question found it, and why it cannot be read", async () => {
    const changed = new EventEmitter<undefined>();
    const jobs = new JobPanels(given({ source: { onDidChange: changed.event } }));
    jobs.show({ root: "/p", id: "v1.train.s1" });
    await say({ type: "ready" });
    changed.fire(undefined);
    await settled();
    const first = held.next("jobs.show");
    await held.next("jobs.show").answer({ job: { version: "v1", state: "cancelled" } });
    await first.answer({ job: { version: "v1", state: "running" } });
    assert.deepEqual(
      states().map((state) => JSON.stringify(state).includes("cancelled")),
      [true],
    );
    await say({ type: "action", action: "refresh" });
    await held.next("jobs.show").fail();
    assert.match(String(stateOf(-1)["cause"]), /^Job view failed/);
  });

  describe("of a gate", () => {
    const changed = new EventEmitter<undefined>();
    const proposal = { id: "v7", record: null, files: [], commit: "c" };
    const showing = (): void => {
      const show = (id: string, { record = false }: { record?: boolean } = {}) =>
        held
          .engine({ service: record ? "proposals.record" : "proposals.show", params: { id } })
          .then((reply) =>
            reply.type === "answer"
              ? { type: "answer", root: "/p", value: reply.result }
              : { type: "none", cause: "Refused.", advice: "" },
          );
      const source = { onDidChange: changed.event, state: { gates: [], why: null }, show };
      const cards = new GateCards(given({ source, choice: { left: () => [], taken: () => [] } }));
      cards.show({ root: "/p", id: "v7" });
    };

    it("says why it cannot be read, and reads again once something has changed", async () => {
      showing();
      await say({ type: "ready" });
      await held.next("proposals.show").fail();
      assert.match(JSON.stringify(stateOf(-1)), /"missing".*Gate card failed/);
      changed.fire(undefined);
      await settled();
      await held.next("proposals.show").answer(proposal);
      assert.equal(stateOf(-1)["type"], "proposal");
    });

    it("goes on looking up the record when an answer was refused meanwhile", async () => {
      showing();
      await say({ type: "ready" });
      await held.next("proposals.show").answer(proposal);
      assert.equal(stateOf(-1)["recordPending"], true);
      await say({ type: "approve" });
      await held.next("proposals.show").answer(proposal);
      await held.next("proposals.show").answer(proposal);
      assert.deepEqual(stateOf(-1)["isBusy"], false);
      await held.next("proposals.record").answer({ ...proposal, record: { proposer: "ada" } });
      await held.next("proposals.show").answer(proposal);
      await held.next("proposals.record").answer({ ...proposal, record: { proposer: "ada" } });
      assert.match(JSON.stringify(stateOf(-1)), /"proposer":"ada"/);
    });

    it("answers again when the proposal cannot be read after an answer", async () => {
      showing();
      await say({ type: "ready" });
      await held.next("proposals.show").answer(proposal);
      await say({ type: "approve" });
      await held.next("proposals.show").answer(proposal);
      await held.next("proposals.show").fail();
      changed.fire(undefined);
      await settled();
      while (held.has("proposals.show")) await held.next("proposals.show").answer(proposal);
      assert.equal(stateOf(-1)["isBusy"], false);
    });
  });

  describe("of the lines of a proposal", () => {
    const proposal = (commit: string, state: string) => ({
      ...{ ...proposalFixture, id: "v7", commit, state },
      files: [
        { path: "a.yaml", hunks: [{ id: "h", added: ["x"], removed: [], proposedStart: 0, baseStart: 0 }] },
      ],
    });
    const address = { root: "/p", id: "v7", commit: "c1", file: "a.yaml", side: "proposed" };
    const uri = { scheme: "evotrainer-proposal", query: JSON.stringify(address), toString: () => "c1" };
    const changed = new EventEmitter<undefined>();
    let source = { state: { root: "/p" }, waiting: [{ id: "v7", commit: "c1" }] };
    const open = (): void => {
      vscode.threads.clear();
      vscode.workspace.textDocuments.splice(0, Infinity, { uri });
      const show = (_: string, { record = false }: { record?: boolean } = {}) =>
        held
          .engine({ service: record ? "proposals.record" : "proposals.show", params: {} })
          .then((reply) =>
            reply.type === "answer" ? { type: "answer", value: reply.result } : { type: "none", cause: "" },
          );
      source = { ...source, waiting: [{ id: "v7", commit: "c1" }] };
      Object.assign(source, { show, onDidChange: changed.event });
      new HunkThreads(source as never, { left: () => [] } as never);
    };
    after(() => vscode.workspace.textDocuments.splice(0));

    it("are there once the engine can be asked", async () => {
      open();
      await held.next("proposals.show").refuse();
      assert.equal(vscode.threads.size, 0);
      changed.fire(undefined);
      await settled();
      await held.next("proposals.show").answer(proposal("c1", "waiting"));
      assert.equal(vscode.threads.size, 1);
    });

    it("are not there when it was answered while it was read", async () => {
      open();
      source.waiting = [];
      await held.next("proposals.show").answer(proposal("c1", "waiting"));
      assert.equal(vscode.threads.size, 0);
    });
  });

  it("write what a person says of labels in the order in which it was said", async () => {
    const rollout = vscode.window.createWebviewPanel();
    const document = { key: { root: "/p", within: "v1", id: "r1" }, focus: null };
    new RolloutEditor(given()).resolveCustomEditor(document as never, rollout as never);
    await say({ type: "ready" });
    await held.next("rollouts.show").answer({ version: "v1", rollout: { run: "v1", id: "r1" } });
    await say({ type: "label", label: "echo-trap", labelled: true });
    await say({ type: "label", label: "echo-trap", labelled: false });
    assert.equal(held.next("rollouts.label").params["labelled"], true);
    assert.ok(!held.has("rollouts.label"));
  });

  describe("of rollouts", () => {
    const list = (version: string) => [{ version, train: 1, selection: 1 }];
    const told = (): string[] => panel().posted.map((message) => JSON.stringify(message));

    it("list the versions that were asked for last", async () => {
      const evidence = new EvidencePanel(given());
      evidence.show();
      await say({ type: "ready" });
      const first = held.next("versions.list");
      held.changed.fire(undefined);
      await held.next("versions.list").answer(list("v2"));
      await first.answer(list("v1"));
      assert.equal(states().length, 1);
      assert.match(told().at(-1) ?? "", /v2/);
    });

    it("show what was asked for last, though another wish waited for the page", async () => {
      const evidence = new EvidencePanel(given());
      evidence.show({ version: "v1" });
      await say({ type: "ready" });
      evidence.show({ version: "v2" });
      await held.next("versions.list").answer(list("v2"));
      assert.deepEqual(
        posted("reveal").map(({ query }) => query),
        [{ version: "v2" }],
      );
    });

    it("list the versions of another project that is to be shown, and stay with it", async () => {
      const evidence = new EvidencePanel(given());
      evidence.show();
      await say({ type: "ready" });
      await held.next("versions.list").answer(list("v1"));
      held.changed.fire(undefined);
      const late = held.next("versions.list");
      evidence.show({ version: "w1" }, "/q");
      await late.answer(list("v1"));
      const asked = held.next("versions.list");
      assert.equal(asked.root, "/q");
      await asked.answer(list("w1"), "/q");
      assert.match(told().at(-2) ?? "", /"state".*w1/);
      assert.match(told().at(-1) ?? "", /"reveal".*w1/);
    });

    it("say why rows and groups cannot be read", async () => {
      const evidence = new EvidencePanel(given());
      evidence.show();
      const query = { version: "v1", orderBy: "arrival", descending: false };
      await say({ type: "page", id: 1, query, offset: 0, limit: 100, list: null, counts: true });
      await held.next("rollouts.window").fail();
      assert.match(told().at(-1) ?? "", /"refused".*Evidence failed/);
    });
  });

  it("say why a view of a service, a replay and the items of versions cannot be read", async () => {
    const view = new ServiceViewPanel("Items", "versions.items", given());
    view.show();
    await say({ type: "ask", id: 1, params: {} });
    await held.next("versions.items").fail();
    assert.match(JSON.stringify(panel().posted.at(-1)), /"refused".*Items failed/);

    const report = (): Promise<never> => Promise.reject(new Error("broken pipe"));
    const backtests = new BacktestPanel(given({ server: { report } }));
    const target = { root: "/p", uri: "file:///p/a.diagnostic.yaml", subject: "a" };
    await backtests.show(target);
    await say({ type: "ready" });
    assert.match(JSON.stringify(stateOf(-1)), /"refused".*Backtest failed/);

    const items = (): Promise<never> => Promise.reject(new Error("broken pipe"));
    const source = { onPage: () => undefined, onDidChange: () => undefined };
    new LineagePanel(given({ source, items })).show();
    await say({ type: "items", id: 1, versions: ["v1"] });
    assert.match(JSON.stringify(panel().posted.at(-1)), /"refused".*Items failed/);
  });

  describe("of the lineage", () => {
    it("say of labels what was found last", async () => {
      const changed = new EventEmitter<unknown>();
      const state = { type: "lineage", table: { name: [], score: [] } };
      const answers: ((people: readonly string[]) => void)[] = [];
      const people = (): Promise<readonly string[]> => new Promise((resolve) => answers.push(resolve));
      const source = { state, pages: [], onPage: () => undefined, onDidChange: changed.event };
      new LineagePanel(given({ source, people })).show();
      await say({ type: "ready" });
      changed.fire(state);
      await settled();
      answers[1]?.(["now"]);
      answers[0]?.(["before"]);
      await settled();
      assert.deepEqual(
        posted("people").map((message) => message["people"]),
        [["now"]],
      );
    });

    it("are not told of an absence that a lineage has overtaken", async () => {
      let state = "starting";
      const page = testPage([testVersion("v1", {})], {});
      const server = {
        ...{ onChange: held.changed.event, state: () => state },
        lineage: () => Promise.resolve({ type: "lineage", root: "/p", page }),
      };
      const source = new LineageSource(server as never, log as never);
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
    const records = (): unknown => stateOf(-1)["records"];

    it("ask again what alarms are worth when that was refused, and for each project", async () => {
      const changed = new EventEmitter<undefined>();
      const runs = new RunsPanel(given({ source: { onDidChange: changed.event } }));
      runs.show();
      const again = async (root = "/p"): Promise<void> => {
        await held.next("jobs.curves").answer(shown(["flat"]), root);
      };
      await say({ type: "ready" });
      await again();
      await held.next("versions.tripwires").refuse();
      changed.fire(undefined);
      await again();
      await held.next("versions.tripwires").answer(alarms(2));
      await again();
      assert.deepEqual(records(), alarms(2).alarms);
      changed.fire(undefined);
      await again("/q");
      assert.equal(records(), undefined);
      assert.equal(held.next("versions.tripwires").root, "/q");
    });

    it("ask for no run that somebody chose in a page that was closed", async () => {
      const runs = new RunsPanel(given({ source: { onDidChange: () => undefined } }));
      runs.show();
      await say({ type: "ask", jobs: ["a"] });
      assert.deepEqual(held.next("jobs.curves").params, { jobs: ["a"] });
      panel().dispose();
      runs.show();
      await say({ type: "ready" });
      assert.deepEqual(held.next("jobs.curves").params, { jobs: [] });
    });
  });

  it("show a version that was chosen while the panel was covered", async () => {
    let choose: (name: string) => void = () => undefined;
    const versions = new VersionPanel(
      given({
        changed: () => undefined,
        choose: () => new Promise<string>((resolve) => (choose = resolve)),
      }),
    );
    versions.show(["v1"], "/p");
    await say({ type: "ready" });
    await say({ type: "add", root: "/p", names: ["v1"] });
    panel().visible = false;
    choose("v2");
    await settled();
    await say({ type: "ready" });
    assert.deepEqual(posted("show").at(-1)?.["names"], ["v1", "v2"]);
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
    const tell = failureTeller(given({ memento, source }));
    tell();
    source.state = { ...source.state, root: "/q", jobs: [failed("b")] };
    tell();
    assert.deepEqual(vscode.failures, []);
    source.state = { ...source.state, jobs: [failed("b"), failed("c")] };
    tell();
    assert.equal(vscode.failures.length, 1);
  });
});
