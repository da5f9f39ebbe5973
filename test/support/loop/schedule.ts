import assert from "node:assert/strict";
import { HarnessError } from "../../../server/src/base/errors.ts";
import { heldAbove } from "../../../server/src/engine/training/keptVersions.ts";
import { isDoubtful } from "../../../shared/ledger/newWayText.ts";
import { seededRandom } from "../../../server/src/base/random.ts";
import { buildLineage, findVersion } from "../../../server/src/lineage/graph.ts";
import { runLoop, type LoopOptions } from "../../../server/src/loop/machine/loop.ts";
import { initialState, LoopState } from "../../../server/src/loop/state.ts";
import type { GateStanding } from "../../../server/src/loop/steps/approve.ts";
import { supportedState } from "../../../server/src/loop/supportedState.ts";
import type { Tests } from "../../../server/src/loop/tests.ts";
import { auditDoor } from "../../../server/src/proposals/standing/auditDoor.ts";
import { isSetAside } from "../../../server/src/proposals/standing/heldVersion.ts";
import { gateAnswer, isProposal } from "../../../server/src/proposals/standing/proposal.ts";
import { unknownNoise } from "../../../server/src/decision/testing/seedNoise.ts";
import { chance, planOf, type Plan } from "./plan.ts";
import { projectOf } from "./project.ts";
import { plainComparison, portsOver, World } from "./world.ts";

/** The engine's process is gone: nothing that it had begun to do goes on. */
class Killed extends Error {}

/** The method of comparisons that know the noise between seeds. */
const lookedAt = "by a look";

/** Decides by the plain difference. */
const plainTests: Tests = {
  seedNoise: () => unknownNoise,
  calibrate: ({ baseline }) => ({
    ...{
      noise: unknownNoise,
      evaluationSd: 0,
      items: baseline.outcomes.length,
      resolvable: null,
      needed: null,
    },
    ...{ cost: { trainings: { usual: 1, most: 2 }, seconds: null }, sentences: ["Nothing is known."] },
  }),
  screen({ candidate, parent }) {
    const plain = plainComparison(parent.name, [parent.outcomes, candidate.outcomes]);
    const comparison = { ...plain, method: lookedAt };
    const verdict = comparison.difference > 0 ? "screened" : "reject";
    return { verdict, comparison, reason: "By its first seed." };
  },
  replicate({ candidate, parent, looksDone, looksAtMost }) {
    const comparison = plainComparison(parent.name, [parent.outcomes, candidate.outcomes]);
    const isLast = looksDone + 1 >= looksAtMost;
    const verdict =
      comparison.verdict === "improved"
        ? "keep"
        : isLast || comparison.difference < 0
          ? "reject"
          : "another_seed";
    return { verdict, comparison, reason: "By its seeds.", seedsNeeded: null, next: [], level: 0, p: 1 };
  },
};

/** Runs an evolution to its end in a world, over as many processes as are killed; without kills in one. */
async function evolve(world: World, kills: boolean): Promise<void> {
  const { plan } = world;
  const random = seededRandom(plan.seed + 1_000_003);
  const project = await projectOf(plan);
  for (let process = 0; process < 3000; process++) {
    const state =
      world.state === null
        ? initialState({
            ...{ domain: "toy", base: "base", startedAt: "2026-01-01T00:00:00.000Z" },
            ...{ generations: plan.generations, firstNumber: 0 },
          })
        : LoopState.parse(JSON.parse(world.state));
    if (state.phase === "done" || state.stopped !== null) return;
    world.processes++;
    // A step of many calls must come to its end at last.
    const mean = plan.callsPerKill * (1 + process / 20);
    let left = kills ? Math.ceil(-Math.log(1 - random()) * mean) : Infinity;
    const step = async <T>(act: () => T | Promise<T>): Promise<T> => {
      if (--left <= 0) throw new Killed();
      const done = await act();
      if (--left <= 0) throw new Killed();
      return done;
    };
    try {
      await runLoop(state, optionsOver(world, project.spec.gates, step));
    } catch (e) {
      if (HarnessError.is(e, "gateWaiting") || HarnessError.is(e, "budgetSpent")) answer(world);
      else if (!(e instanceof Killed)) throw e;
    }
  }
  assert.fail("the evolution does not come to its end");
}

function optionsOver(
  world: World,
  gates: Parameters<typeof auditDoor>[0]["gates"],
  step: <T>(act: () => T | Promise<T>) => Promise<T>,
): LoopOptions {
  const { plan } = world;
  return {
    ports: portsOver(world, step),
    tests: plainTests,
    ask: ({ version, gate }) =>
      step((): GateStanding => {
        const given = gate === "design" ? world.answerTo(version) : null;
        if (given !== null) return { type: "answered", answer: given.answer, comment: given.comment };
        if (gate !== "design") return { type: "passes", by: null, before: 0 };
        return plan.gated
          ? { type: "waits", why: "a person answers", before: 0 }
          : { type: "passes", by: "rule: autonomy full", before: 0 };
      }),
    budget: (jobs) =>
      step(() => {
        const wanted = new Set(jobs.map(({ version, seed }) => `${version}.train.s${seed}`));
        const spent = [...world.launched.keys()].filter((run) => !wanted.has(run)).length;
        return spent + wanted.size > world.allowed ? "The budget is spent." : null;
      }),
    openAudit: (version) =>
      step(() => {
        const door = auditDoor({ lineage: world.lineage, version, gates });
        if (door.type === "open") world.opened.add(version).add(door.baseline);
        return door;
      }),
    whyHeld: (baseline) => step(() => heldAbove(world.lineage, baseline)),
    supported: (state) =>
      step(() => {
        revert(world, state);
        return supportedState(state, world.lineage);
      }),
    commitOf: (version) => step(() => findVersion(world.lineage, version)?.commit ?? "no commit"),
    save: (state) => step(() => void (world.state = JSON.stringify(state))),
    signal: new AbortController().signal,
  };

  function revert({ lineage }: World, { generation, step: at, champion, phase }: LoopState): void {
    const { revert: asked } = plan;
    const isDue = phase === "evolve" && asked?.generation === generation && asked.step === at;
    if (!isDue || champion === null || champion === "v1" || world.ledger.has("version:v1-revert")) return;
    const version = findVersion(lineage, champion);
    if (version === undefined) return;
    const common = { at: "2026-01-01T00:00:00.000Z", domain: "toy", version: "v1-revert" };
    world.append([
      {
        ...{ ...common, id: "version:v1-revert", type: "version", commit: version.commit, parent: champion },
        ...{ generation, factor: null, intervention: null, title: "revert" },
      },
      {
        ...{ ...common, id: "decision:v1-revert", type: "decision", decision: "revert", reason: "A person." },
        ...{ comparison: null, evidence: [] },
      },
    ]);
  }
}

/** A person answers whatever waits, and raises the budget. */
function answer(world: World): void {
  world.allowed += 5;
  const common = { at: "2026-01-01T00:00:00.000Z", domain: "toy", by: "a person" };
  for (const v of world.lineage.versions) {
    if (isProposal(v) && v.decision === undefined && world.answerTo(v.name) === null) {
      const answer = chance("answers", world.plan.seed, v.name) < 0.8 ? "approve" : "reject";
      const id = `approval:${v.name}:design`;
      world.append([{ ...common, id, type: "approval", version: v.name, gate: "design", answer }]);
    }
    if (v.decision?.decision === "keep" && isProposal(v)) {
      const id = `approval:${v.name}:completion`;
      // Some that may be shortcuts are none.
      const answer =
        isDoubtful(v.decision) && chance("is one", world.plan.seed, v.name) < 0.5 ? "reject" : "approve";
      world.append([{ ...common, id, type: "approval", version: v.name, gate: "completion", answer }]);
    }
  }
}

/** Nothing was made of what may be a shortcut before a person approved it. */
function checkHeld({ lineage }: World): void {
  for (const { name, parent, decision } of lineage.versions) {
    const from = parent === null ? undefined : findVersion(lineage, parent);
    if (from?.decision === undefined || !isDoubtful(from.decision) || decision?.decision === "revert")
      continue;
    const isApproved = gateAnswer(from, "completion")?.answer === "approve";
    assert.ok(isApproved, `${name} was made of ${from.name}, which nobody had looked at`);
  }
}

/** What is better than the best version and can be trusted has taken its place. */
function checkBest({ state, lineage }: World): void {
  const { champion } = LoopState.parse(JSON.parse(state ?? ""));
  for (const v of lineage.versions) {
    const isBetter = v.decision?.decision === "keep" && v.parent === champion && isProposal(v);
    if (isBetter && !isSetAside(v, lineage) && v.without === undefined)
      assert.fail(`${v.name} was kept on ${champion ?? "nothing"}, which is still the best version`);
  }
}

/**
 * Runs one schedule, undisturbed and with kills at random calls, and checks that nothing is lost, paid twice, trained
 * without approval, read too early, made of what may be a shortcut, or kept without a second evaluation or the noise of seeds, and that both come to the same lineage. @throws AssertionError
 */
export async function checkSchedule(seed: number): Promise<Plan> {
  const plan = planOf(seed);
  const [calm, killed] = [new World(plan), new World(plan)];
  await evolve(calm, false);
  await evolve(killed, true);
  for (const world of [calm, killed]) {
    assert.deepEqual(world.wrongs, []);
    for (const [run, times] of world.launched) assert.equal(times, 1, `${run} was started ${times} times`);
    for (const { name, decision } of world.lineage.versions)
      if (decision?.decision === "keep") {
        for (const seed of world.seedsOf(name))
          assert.ok(
            world.measuredAgain.has(`${name} ${seed}`),
            `no fresh job measured seed ${seed} of ${name}`,
          );
        if (decision.stage === "one_seed" && plan.seeds > 1)
          assert.equal(decision.comparison?.method, lookedAt, `${name} was kept without the noise of seeds`);
      }
    checkHeld(world);
    if (plan.revert === null) checkBest(world);
    const isStopped = LoopState.parse(JSON.parse(world.state ?? "")).stopped !== null;
    for (const v of world.lineage.versions)
      if (!isStopped) assert.equal(v.decisions.length, 1, `${v.name} has ${v.decisions.length} decisions`);
  }
  assert.deepEqual(buildLineage([...calm.ledger.values()], "toy").problems, []);
  assert.deepEqual([...killed.launched.keys()].sort(), [...calm.launched.keys()].sort());
  assert.deepEqual([...killed.ledger.values()], [...calm.ledger.values()]);
  assert.equal(killed.state, calm.state);
  return plan;
}
