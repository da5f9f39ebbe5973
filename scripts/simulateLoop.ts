// Runs random schedules of the loop with kills at every call and checks what must never happen; prints the seed of each
// failure. npm run simulate:loop -- --schedules 100000; --only <seed> runs one, --from <seed> begins there.
import { inspect } from "node:util";
import { checkSchedule } from "../test/support/loop/schedule.ts";

function option(name: string, otherwise: number): number {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? otherwise : Number(process.argv[at + 1]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} takes a whole number.`);
  return value;
}

const only = option("only", 0);
const from = only === 0 ? option("from", 1) : only;
const schedules = only === 0 ? option("schedules", 1000) : 1;
const began = performance.now();
let failed = 0;
for (let seed = from; seed < from + schedules; seed++)
  try {
    await checkSchedule(seed);
  } catch (e) {
    failed++;
    process.stdout.write(`schedule ${seed} fails: ${inspect(e).slice(0, only === 0 ? 400 : 20_000)}\n`);
  }
const seconds = (performance.now() - began) / 1000;
process.stdout.write(`${schedules} schedules from seed ${from}: ${failed} failed, ${seconds.toFixed(1)} s\n`);
process.exitCode = failed === 0 ? 0 : 1;
