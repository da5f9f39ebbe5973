import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { AllServices } from "../../shared/protocol/services.ts";
import { patience } from "../support/base/patience.ts";
import { evotrainer, lineageOf } from "./cli.ts";
import { makeToyProject, toyHarness } from "./toyProject.ts";
import { Window } from "./window.ts";

type Jobs = AllServices["jobs.list"]["result"]["jobs"];
type EvolutionStatus = AllServices["evolution.status"]["result"];

async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const deadline = Date.now() + 60_000 * patience; ;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`Waited ${60 * patience} seconds for: ${what}`);
    await delay(40);
  }
}

describe("jobs and evolutions for the editor", function () {
  this.timeout(180_000);
  const roots: string[] = [];
  const windows: Window[] = [];
  const project = (knobs: Readonly<Record<string, string | number>>): string => {
    const root = makeToyProject({ "harness/toy.yaml": toyHarness(knobs) });
    roots.push(root);
    return root;
  };
  const open = (root: string, trusted = true): Window => {
    const window = new Window(root, trusted);
    windows.push(window);
    return window;
  };
  afterEach(async () => {
    for (const window of windows.splice(0)) {
      await window.reply("evolution.stop", { cancelJobs: true }).catch(() => undefined);
      window.kill();
    }
    // A rerun writes its last line in the ledger after its job is over.
    for (const root of roots.splice(0))
      await until(`${root} to be free`, () => {
        try {
          rmSync(root, { recursive: true, force: true });
          return true;
        } catch {
          return undefined;
        }
      });
  });

  const jobs = (window: Window): Promise<Jobs> => window.ask("jobs.list").then((page) => page.jobs);
  const status = (window: Window): Promise<EvolutionStatus> => window.ask("evolution.status");
  const trainingJob = (window: Window): Promise<Jobs[number]> =>
    until("a job that trains", async () =>
      (await jobs(window)).find((j) => j.work === "train" && j.state === "running" && (j.step ?? 0) > 0),
    );

  it("never start in an untrusted workspace", async () => {
    const root = project({});
    const window = open(root, false);
    for (const service of ["evolution.start", "evolution.continue", "jobs.rerun", "jobs.list"])
      assert.deepEqual(await window.reply(service, { job: "v0.selection.s1" }), { type: "untrusted" });
    assert.equal(existsSync(join(root, ".evotrainer")), false);
  });

  it("run a generation that outlives the window and the engine: after both are killed, it still reaches the same end", async () => {
    const root = project({ step_ms: 1000 });
    const first = open(root);
    assert.equal((await status(first)).state, "none");
    // The archive is this window's when the evolution begins, and still its own a moment later.
    const [started, again] = await Promise.all([first.ask("evolution.start"), first.ask("evolution.start")]);
    assert.equal(started.state, "running");
    assert.equal(again.pid, started.pid);
    assert.deepEqual(started.owner, { type: "evolution", pid: started.pid });
    const job = await trainingJob(first);
    assert.equal(job.stepsTotal, 4);
    assert.ok(job.etaSeconds !== null && job.reward !== null && job.cost === null);
    first.kill();

    const second = open(root);
    const still = await status(second);
    assert.deepEqual([still.state, still.pid], ["running", started.pid]);
    assert.ok(started.pid !== null);
    process.kill(started.pid, "SIGKILL");
    const cut = await until("the engine to be gone", async () => {
      const now = await status(second);
      return now.state === "interrupted" ? now : undefined;
    });
    assert.match(cut.message, /was killed at this step: .*; it can go on from there/);
    // The job has its own keeper, and may have come to its end meanwhile.
    const survivor = (await jobs(second)).find((j) => j.id === job.id)?.state ?? "";
    assert.ok(["running", "checking", "finished"].includes(survivor), survivor);

    const went = await second.ask("evolution.continue");
    assert.equal(went.state, "running");
    assert.notEqual(went.pid, started.pid);
    const seen: string[] = [];
    let place: { id?: string; offset: number } = { offset: 0 };
    await until("the end", async () => {
      const { id, events, next, over } = await second.ask("evolution.events", place);
      seen.push(...events.map(({ type }) => type));
      place = { ...(id === null ? {} : { id }), offset: next };
      return over ? true : undefined;
    });
    assert.equal((await status(second)).state, "done");
    for (const type of ["jobProgress", "jobEnded", "decided", "promoted"])
      assert.ok(seen.includes(type), `${type} in ${[...new Set(seen)].join()}`);
    const { versions } = lineageOf(root);
    assert.ok(versions.some(({ generation }) => generation === 1));
    // Once each: no version was trained twice.
    assert.deepEqual(
      readdirSync(join(root, ".evotrainer/runs")).filter((name) => name.includes(".r2")),
      [],
    );
    const list = await second.ask("diagnostics.list");
    const leak = list.diagnostics.find(({ name }) => name === "leak");
    assert.ok(
      list.version !== null && leak?.rate != null,
      JSON.stringify([list.version, leak, list.problems]),
    );
    const refused = await second.reply("evolution.continue");
    assert.ok(refused.type === "refused" && /[Rr]un another generation/.test(refused.message));
  });

  it("stop between two steps while the job runs on; a cancelled job says so, and a rerun finishes", async () => {
    const root = project({ step_ms: 1500 });
    const window = open(root);
    await window.ask("evolution.start");
    const { id } = await trainingJob(window);
    const stopped = await window.ask("evolution.stop");
    assert.deepEqual([stopped.state, stopped.pid], ["interrupted", null]);
    assert.equal((await jobs(window)).find((j) => j.id === id)?.state, "running");
    const early = await window.reply("jobs.rerun", { job: id });
    assert.ok(early.type === "refused" && early.message.includes("is not over"), JSON.stringify(early));
    assert.deepEqual(await window.ask("jobs.cancel", { job: id }), { job: id });
    const cancelled = await until("the job to be cancelled", async () =>
      (await jobs(window)).find((j) => j.id === id && j.state === "cancelled"),
    );
    assert.match(cancelled.failure?.advice ?? "", /rerun/);
    assert.deepEqual(await window.ask("jobs.rerun", { job: id }), { job: `${id}.r2` });
    const done = await until("the rerun to finish", async () =>
      (await jobs(window)).find((j) => j.id === `${id}.r2` && j.state === "finished"),
    );
    assert.deepEqual([done.attempt, done.version], [2, cancelled.version]);
    await until("its evidence in the archive", async () => {
      const reply = await window.reply("versions.list");
      return reply.type === "answer" && JSON.stringify(reply.result).includes(`"${done.version}"`)
        ? true
        : undefined;
    });
    const no = await window.reply("jobs.rerun", { job: id });
    assert.ok(no.type === "refused" && no.message.includes("finished"));
  });

  it("keep the log of a failed job, in pieces that fit together, and say why the job failed", async () => {
    const root = project({ fault: "preflight", fault_base: "yes" });
    const window = open(root);
    const refused = await window.reply("evolution.start");
    assert.ok(refused.type !== "untrusted");
    const end = await until("the end", async () => {
      const now = await status(window);
      return now.state === "running" ? undefined : now;
    });
    assert.equal(end.state, "blocked", JSON.stringify(end));
    const failed = (await jobs(window)).find(({ state }) => state === "failed");
    assert.ok(failed?.failure);
    assert.notEqual(failed.failure.advice, "");
    const detail = await window.ask("jobs.show", { job: failed.id });
    assert.ok([...detail.lastLines.stderr, ...detail.lastLines.stdout].length > 0);
    let text = "";
    for (let offset = 0; ;) {
      const piece: AllServices["jobs.log"]["result"] = await window.ask("jobs.log", {
        job: failed.id,
        stream: "stderr",
        offset,
        limit: 1024,
      });
      text += piece.text;
      assert.equal(piece.over, true);
      if (piece.next === offset) break;
      offset = piece.next;
    }
    assert.equal(text, evotrainer(root, "logs", failed.id).stdout);
    assert.match(evotrainer(root, "jobs").stdout, /failed/);
  });
});
