import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const Project = z.looseObject({
  trainer: z.looseObject({
    command: z.tuple([z.string()], z.string()),
    environment: z.record(z.string(), z.string()).default({}),
  }),
});

/** Starts the trainer of a project as a job of the engine would, to measure a policy on the audit split. */
export function measurePolicy(root: string, { policy, run }: { policy: string; run: string }): void {
  const { trainer } = Project.parse(parse(readFileSync(join(root, "evotrainer.yaml"), "utf8")));
  const [program, ...args] = trainer.command;
  const folder = join(root, ".evotrainer/runs", run);
  mkdirSync(folder, { recursive: true });
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
    env: {
      ...process.env,
      ...trainer.environment,
      EVO_RUN_DIR: folder,
      EVO_RUN_ID: run,
      EVO_HARNESS: "0".repeat(40),
      EVO_SEED: "1",
      EVO_POLICY_IN: policy,
      EVO_POLICY_OUT: join(folder, "policy"),
      EVO_SPLITS: "audit",
      EVO_BUDGET_SECONDS: "600",
    },
  });
  if (status !== 0) throw new Error(`The trainer ended with ${String(status)}:\n${stdout}\n${stderr}`);
}
