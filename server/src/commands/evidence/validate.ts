import { basename } from "node:path";
import { validateFile, type Validation } from "../../evidence/contract/validateFile.ts";
import { exitCodes, printResult, type Io } from "../terminal/io.ts";
import type { AddVerb } from "../terminal/verb.ts";

export const addValidate: AddVerb = (program, { io, exitWith }) => {
  program
    .command("validate <file...>")
    .description("check evidence files against the contract")
    .action(async (files: string[]) => exitWith(await validate(io(), files)));
};

/** `evotrainer validate <file…>`: the evidence contract; files named metrics… are held to that of metrics. Answers with the exit code. */
export async function validate(io: Io, files: readonly string[]): Promise<number> {
  const results: Validation[] = [];
  for (const file of files)
    results.push(
      await validateFile(file, { kind: basename(file).startsWith("metrics") ? "metrics" : "rollouts" }),
    );
  printResult(io, results, (results) => results.map(describe).join("\n"));
  return results.some((r) => r.bad > 0) ? exitCodes.finding : exitCodes.success;
}

function describe({ path, records, bad, problems }: Validation): string {
  const more = bad > problems.length ? [`  … ${bad - problems.length} more`] : [];
  return [
    `${path}: ${records} valid, ${bad} not`,
    ...problems.map((p) => `  line ${p.line}: ${p.reason}`),
    ...more,
  ].join("\n");
}
