import { chooseVersion, inspect } from "../terminal/inspect.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { positive } from "../terminal/options.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addPropose: AddVerb = (program, { io, cwd }) => {
  program
    .command("propose")
    .description("propose changes to a version; each waits for review")
    .option("--proposer <name>", "who proposes", "catalogue")
    .option(
      "--parent <version>",
      "the version to change; by default the one that the evolution continues from",
    )
    .option("--intervention <name>", "propose this intervention instead of those that the catalogue chooses")
    .option("--count <n>", "the largest number of proposals", positive, 1)
    .action(async (o: Given<{ proposer: string; parent?: string; intervention?: string; count: number }>) =>
      propose(io(), cwd, o),
    );
};

/** `evotrainer propose`: makes proposals that wait for `evotrainer review`. */
export async function propose(
  io: Io,
  cwd: string,
  options: {
    readonly proposer: string;
    readonly parent?: string;
    readonly intervention?: string;
    readonly count: number;
  },
): Promise<void> {
  await inspect(cwd, async ({ engine, versions }) => {
    const { proposer, count, intervention } = options;
    const made = await engine.request("proposals.make", {
      ...{ proposer, count, trusted: true },
      ...(intervention === undefined ? {} : { intervention }),
      ...(options.parent === undefined ? {} : { parent: chooseVersion(versions, options.parent).name }),
    });
    printResult(io, made, (made) =>
      made.proposals
        .map(
          (p) =>
            `${p.id} on ${p.parent}: ${p.title}\n  because ${p.because}\n  backtest: ${p.dropped ?? p.backtest}${p.dropped === null ? `\n  evotrainer review ${p.id} shows its hunks and takes an answer.` : ""}`,
        )
        .join("\n"),
    );
  });
}
