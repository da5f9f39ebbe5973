// Takes the guards of scripts/mutants/guards.ts out, one at a time, and runs the tests that must notice.
// --only <text>: those whose file or sentence holds the text.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureHostTools } from "./lib/hostTools.mjs";
import { guards } from "./mutants/guards.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { Workplace } from "./mutants/workplace.ts";

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** @returns which tests fail although no guard is missing: what they say of a mutant means nothing */
async function brokenTests(place: Workplace, mutants: readonly Mutant[]): Promise<Set<string>> {
  const broken = new Set<string>();
  const sets = new Map(mutants.map((mutant) => [mutant.tests.join(" "), mutant]));
  for (const [tests, mutant] of sets) {
    const { passed, tail } = await place.run(mutant, true);
    if (passed) continue;
    broken.add(tests);
    print(`fails with every guard in place: ${tests}\n${tail}`);
  }
  return broken;
}

/** Whether tests were skipped, for want of a program: one of them might have noticed. */
const skips = (tail: string): boolean => /^\s*\d+ pending$/m.test(tail);

const usage = "npm run mutants [-- --only <part of a file's name or of a sentence>]";

/** The options; null where they are none, or where help is asked for. */
function asked(): { readonly only: string; readonly help: boolean } | null {
  try {
    const options = {
      only: { type: "string", default: "" },
      help: { type: "boolean", default: false },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    return null;
  }
}

async function main(): Promise<number> {
  const options = asked();
  if (options === null || options.help) {
    print(usage);
    return options === null ? 2 : 0;
  }
  const { only } = options;
  const mutants = guards.filter(({ file, guard }) => file.includes(only) || guard.includes(only));
  await ensureHostTools(print);
  const place = new Workplace(join(import.meta.dirname, ".."));
  const count = { killed: 0, survived: 0, explained: 0, unclear: 0 };
  try {
    const broken = await brokenTests(place, mutants);
    for (const mutant of mutants) {
      const { passed, tail } = broken.has(mutant.tests.join(" "))
        ? { passed: undefined, tail: "" }
        : await place.run(mutant, false);
      const outcome =
        passed === undefined || (passed && mutant.explained === undefined && skips(tail))
          ? "unclear"
          : !passed
            ? "killed"
            : mutant.explained === undefined
              ? "survived"
              : "explained";
      count[outcome]++;
      print(`${outcome.padEnd(9)} ${mutant.file}: ${mutant.guard}`);
      if (outcome === "survived" || (outcome === "unclear" && tail !== "")) print(tail);
      if (outcome === "explained") print(`          ${mutant.explained ?? ""}`);
    }
  } finally {
    place.remove();
  }
  const rest = count.unclear > 0 ? `, ${count.unclear} unclear` : "";
  print(
    `${mutants.length} guards: ${count.killed} killed, ${count.explained} explained, ${count.survived} survived${rest}`,
  );
  return count.survived + count.unclear > 0 || mutants.length === 0 ? 1 : 0;
}

process.exitCode = await main();
