import type { LedgerEntry } from "../../../../shared/model/ledger.ts";
import { RewardSpec } from "../../../../shared/spec/reward.ts";
import { replayReward, type ReplayGroup, type RewardReplay } from "../../backtest/rewardReplay.ts";
import type { Project } from "../../project/project.ts";
import { readSpec } from "../../project/readSpec.ts";
import type { LoopPorts } from "../ports.ts";
import type { Candidate, LoopState } from "../state.ts";

/**
 * Tests each candidate on the parent's archived rollouts before anything is trained. A reward change that group
 * normalisation cancels is pruned here.
 */
export async function backtest(
  state: LoopState,
  parentCommit: string,
  project: Project,
  ports: LoopPorts,
): Promise<Candidate[]> {
  const done: Candidate[] = [];
  for (const candidate of state.candidates) {
    const replay = await replayOf(candidate, parentCommit, project, ports);
    const summary =
      replay === null
        ? "Not computable offline: it changes what is sampled, not how it is scored."
        : describe(replay);
    const pruned =
      replay?.noOp === true
        ? "No-op: group normalisation cancels this change, every advantage stays the same."
        : null;
    const common = { at: ports.now(), domain: state.domain, version: candidate.version };
    const entries: LedgerEntry[] = [
      {
        ...common,
        id: `backtest:${candidate.version}`,
        type: "backtest",
        summary,
        figures: replay === null ? {} : figuresOf(replay),
      },
    ];
    if (pruned !== null)
      entries.push({
        ...common,
        id: `decision:${candidate.version}`,
        type: "decision",
        decision: "prune",
        reason: pruned,
        comparison: null,
        evidence: [],
      });
    await ports.appendToLedger(entries);
    ports.emit({ type: "backtest", version: candidate.version, summary: pruned ?? summary });
    done.push({ ...candidate, pruned });
  }
  return done;
}

async function replayOf(
  candidate: Candidate,
  parentCommit: string,
  project: Project,
  ports: LoopPorts,
): Promise<RewardReplay | null> {
  const file = project.spec.reward;
  if (file === undefined || candidate.commit === null || candidate.parent === null) return null;
  const [before, after] = [
    await rewardAt(parentCommit, file, ports),
    await rewardAt(candidate.commit, file, ports),
  ];
  if (
    before === null ||
    after === null ||
    JSON.stringify(before.components) === JSON.stringify(after.components)
  )
    return null;
  const groups: ReplayGroup[] = [];
  for await (const group of ports.trainGroups(candidate.parent)) groups.push(group);
  return groups.length === 0 ? null : replayReward(groups, before, after);
}

async function rewardAt(commit: string, file: string, ports: LoopPorts): Promise<RewardSpec | null> {
  const text = await ports.readFile(commit, file);
  const read = text === undefined ? undefined : readSpec(file, text, RewardSpec);
  return read?.ok === true ? read.value : null;
}

function figuresOf(r: RewardReplay): Record<string, number> {
  return {
    groups: r.groups,
    rollouts: r.rollouts,
    dead_before: r.deadBefore,
    dead_after: r.deadAfter,
    revived: r.revived,
    order_violations: r.orderViolations,
    ...Object.fromEntries(Object.entries(r.saturation).map(([name, share]) => [`saturation_${name}`, share])),
  };
}

function describe(r: RewardReplay): string {
  const share = (n: number): string => `${((100 * n) / r.groups).toFixed(1)} %`;
  const constants = Object.entries(r.saturation).filter(([, s]) => s >= 0.99);
  const warn =
    constants.length === 0
      ? ""
      : ` ${constants.map(([n]) => n).join(", ")} is given to nearly every rollout and does nothing.`;
  return `Dead groups ${share(r.deadBefore)} → ${share(r.deadAfter)} (${r.revived} of ${r.deadBefore} revived), ${r.orderViolations} order violations in ${r.rollouts} rollouts.${warn}`;
}
