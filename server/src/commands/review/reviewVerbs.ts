import type { Command } from "commander";
import type { Io } from "../terminal/io.ts";

/** Options that were given, without the undefined ones. */
type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Adds the verbs about proposals and what becomes of versions; the code of each is loaded when it is asked for. */
export function addReviewVerbs(
  program: Command,
  {
    io,
    cwd,
    positive,
    collect,
  }: {
    readonly io: () => Io;
    readonly cwd: string;
    readonly positive: (text: string) => number;
    readonly collect: (text: string, before: readonly string[]) => readonly string[];
  },
): void {
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
      (await import("./propose.ts")).propose(io(), cwd, o),
    );

  program
    .command("review <proposal> [answer]")
    .description("show a proposal, or answer its gate: approve, revise or reject")
    .option("--hunks <ids>", "approve: take only these hunks (ids separated by commas)")
    .option("--comment <text>", "why, or what should be different")
    .option("--text <file=path>", "revise: another text for a file of the project", collect, [])
    .action(
      async (
        proposal: string,
        answer: string | undefined,
        o: Given<{ hunks?: string; comment?: string; text: readonly string[] }>,
      ) =>
        (await import("./review.ts")).review(io(), cwd, {
          proposal,
          ...(answer === undefined ? {} : { answer }),
          ...o,
        }),
    );

  program
    .command("revert <version>")
    .description("revert a version: make a new version with the files of its parent")
    .option("--comment <text>", "why")
    .action(async (version: string, o: Given<{ comment?: string }>) =>
      (await import("./revert.ts")).revert(io(), cwd, { version, ...o }),
    );

  program
    .command("promote <version>")
    .description("open the audit split for a kept version, and report the generalisation gap")
    .option("--approve", "approve the completion gate if it waits for a person", false)
    .action(async (version: string, o: { approve: boolean }) =>
      (await import("./promote.ts")).promote(io(), cwd, { version, ...o }),
    );
}
