import type { AddVerb } from "../terminal/verb.ts";
import { completionsFor, fitting, type Completions } from "./completions.ts";
import { scripts, shells } from "./scripts.ts";
import { verbWords } from "./verbWords.ts";

/** `evotrainer completion`: what a shell needs to complete this command line. */
export const addCompletion: AddVerb = (program, { io, cwd }) => {
  const completion = program
    .command("completion")
    .description("print the script that completes verbs, options and names in your shell");
  for (const shell of shells)
    completion
      .command(shell)
      .description(`the script for ${shell}; its first lines say how it is loaded`)
      .action(() => io().out(scripts[shell]));
  completion
    .command("words [words...]", { hidden: true })
    .description("list what the last word could be, for the scripts")
    .action(async (given: readonly string[]) => {
      // Bash makes a word of its own of the sign in `--split=train`.
      const words = given.filter((word) => word !== "=").concat(given.at(-1) === "=" ? [""] : []);
      const { candidates, names } = isFirst(words) ? verbsFromTable : completionsFor(program, words);
      const known =
        names === undefined ? [] : await (await import("./projectNames.ts")).projectNames(names, cwd);
      const all = [...candidates, ...known.map((value) => ({ value, description: "" }))];
      io().out(
        fitting(all, words.at(-1) ?? "")
          .map(({ value, description }) => `${value}\t${description}\n`)
          .join(""),
      );
    });
};

const isFirst = ([word = "", ...more]: readonly string[]): boolean =>
  more.length === 0 && !word.startsWith("-");

/** At the first word nobody waits until the code of all verbs is loaded. */
const verbsFromTable: Completions = {
  candidates: Object.entries({ ...verbWords, help: "display help for command" }).map(
    ([value, description]) => ({ value, description }),
  ),
};
