import { parseArgs } from "node:util";
import { hostProblem } from "../server/src/runner/ssh/testHost.ts";
import { slurmProblem } from "../server/src/runner/slurm/testSlurm.ts";
import { soak } from "../server/src/runner/soak/testSoak.ts";
import { reportOf } from "../server/src/runner/soak/testReport.ts";

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
