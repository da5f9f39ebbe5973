import { join } from "node:path";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { HarnessError } from "../../base/errors.ts";
import type { SmokeEntry, Trials } from "../../proposals/trial.ts";
import { readTail } from "../../runner/job/evidenceSummary.ts";
import type { JobOutcome } from "../../runner/job/outcome.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { openFleet } from "./fleet.ts";

/** The last lines of a command that failed, as many as can be read in a sentence. */
const lastLines = 5;
const longestLine = 200;

/**
 * Tries changed code as a job of the project: on its machines, in a checkout without the audit split, by the job protocol, so
 * that it goes on where a crash left it. It trains nothing, and no rollout that it writes counts.
 */
export function smokeTrials(workspace: Workspace, domain: string): Trials {
  return {
    async run({ version, commit, spec, attempt }) {
      const { smoke } = spec.trainer;
      if (smoke === undefined)
        throw new HarnessError("badInput", "evotrainer.yaml has no trainer.smoke, so nothing can be tried.");
      const again = attempt > 1 ? `r${attempt}` : undefined;
      const parts = [commit.slice(0, 12), ...(again === undefined ? [] : [again])];
      const run = [version, "smoke", ...parts].join(".");
      const outcome = await runSmoke(workspace, { version, commit, spec, run, smoke });
      if (outcome.failure === "harness_abort")
        throw new HarnessError("jobFailed", `${version} was not tried: ${outcome.message}`);
      const entry: SmokeEntry = {
        id: ["smoke", version, ...parts].join(":"),
        at: new Date().toISOString(),
        domain,
        type: "smoke",
        version,
        commit,
        ok: outcome.ok,
        message: await messageOf(outcome, smoke),
        seconds: outcome.seconds,
      };
      await workspace.ledger.append([entry], { isRepeated: true });
      return entry;
    },
  };
}

type Smoke = NonNullable<ProjectSpec["trainer"]["smoke"]>;

async function runSmoke(
  workspace: Workspace,
  trial: {
    readonly version: string;
    readonly commit: string;
    readonly spec: ProjectSpec;
    readonly run: string;
    readonly smoke: Smoke;
  },
): Promise<JobOutcome> {
  const { version, commit, spec, run, smoke } = trial;
  const { fleet, close } = await openFleet(workspace, undefined);
  try {
    const environment = { ...spec.trainer.environment, EVO_SMOKE: "1" };
    const [ran] = fleet.runAll([
      {
        repository: workspace.repository,
        commit,
        project: { ...spec, trainer: { ...spec.trainer, environment, command: smoke.command } },
        version,
        run,
        group: { name: run, index: 0 },
        seed: spec.trainer.seeds[0] ?? 1,
        // No split is asked for, so what it writes is no evidence, and the audit split is not there.
        splits: [],
        budgetSeconds: smoke.seconds,
      },
    ]);
    if (ran === undefined) throw new Error("a job without an answer");
    return await ran;
  } finally {
    close();
  }
}

async function messageOf(
  { failure, message, runDirectory, seconds }: JobOutcome,
  smoke: Smoke,
): Promise<string> {
  const command = `\`${smoke.command.join(" ")}\``;
  const took = `${Math.max(0.1, Math.round(seconds * 10) / 10)} s`;
  switch (failure) {
    case null:
      return `Tried: ${command} succeeded after ${took}.`;
    case "train_budget_overrun":
    case "eval_budget_overrun":
      return `Tried: ${command} was still running after ${smoke.seconds} s.${await lastWordsOf(runDirectory)}`;
    case "disqualified":
    case "size_blocked":
      return `Tried: ${command} failed. ${message}`;
    case "crash":
    case "preflight_crash":
    case "incomplete":
    case "harness_abort":
      return `Tried: ${command} failed after ${took}.${await lastWordsOf(runDirectory)}`;
  }
}

async function lastWordsOf(runDirectory: string): Promise<string> {
  for (const name of ["stderr.log", "stdout.log"]) {
    const lines = (await readTail(join(runDirectory, name), 8192))
      .split(/[\r\n]+/)
      .map((line) => line.trimEnd().slice(0, longestLine))
      .filter((line) => line.trim() !== "")
      .slice(-lastLines);
    if (lines.length > 0) return ` Its last output: ${lines.join(" / ")}`;
  }
  return " It printed nothing.";
}
