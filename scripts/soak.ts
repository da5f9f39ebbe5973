import { parseArgs } from "node:util";
import { hostProblem } from "../test/support/ssh/host.ts";
import { slurmProblem } from "../test/support/slurm/slurm.ts";
import { soak } from "../test/support/soak/soak.ts";
import { reportOf } from "../test/support/soak/report.ts";

// `npm run soak -- [--faults 200] [--seed 1] [--slurm]`: disturbs running jobs on a private SSH host for as long as it takes.
const { values } = parseArgs({
  options: {
    faults: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    slurm: { type: "boolean", default: false },
  },
});
const [faults, seed] = [Number(values.faults), Number(values.seed)];
if (!Number.isInteger(faults) || faults < 1 || !Number.isInteger(seed))
  throw new Error("--faults takes a number from 1, --seed a whole number.");
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const problem = hostProblem() ?? (values.slurm ? slurmProblem() : undefined);
if (problem === undefined) {
  const report = await soak({ faults, seed, slurm: values.slurm, say });
  say(reportOf(report, seed));
  process.exitCode = report.wrong.length > 0 ? 1 : 0;
} else {
  say(`Nothing was run: ${problem}.`);
  process.exitCode = 1;
}
