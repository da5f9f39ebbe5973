import type { AddVerb } from "../terminal/verb.ts";
import { completionsFor, fitting } from "./completions.ts";
import { projectNames } from "./projectNames.ts";
import { scripts, shells } from "./scripts.ts";

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
      const { candidates, names } = completionsFor(program, words);
      const known = names === undefined ? [] : await projectNames(names, cwd);
      const all = [...candidates, ...known.map((value) => ({ value, description: "" }))];
      io().out(
        fitting(all, words.at(-1) ?? "")
          .map(({ value, description }) => `${value}\t${description}\n`)
          .join(""),
      );
    });
};
