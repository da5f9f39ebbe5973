import { inLine } from "../../base/plainText.ts";
import { chooseVersion, inspect } from "../terminal/inspect.ts";
import { printResult, type Io } from "../terminal/io.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addRevert: AddVerb = (program, { io, cwd }) => {
  program
    .command("revert <version>")
    .description("revert a version: make a new version with the files of its parent")
    .option("--comment <text>", "why")
    .action(async (version: string, o: Given<{ comment?: string }>) => revert(io(), cwd, { version, ...o }));
};

/** `evotrainer revert <version>`: takes a version back by a version of its own. */
export async function revert(
  io: Io,
  cwd: string,
  options: { readonly version: string; readonly comment?: string },
): Promise<void> {
  await inspect(cwd, async ({ engine, versions }) => {
    const { name } = chooseVersion(versions, options.version);
    const made = await engine.request("versions.revert", {
      version: name,
      ...(options.comment === undefined ? {} : { reason: options.comment }),
    });
    printResult(
      io,
      made,
      (made) =>
        `${made.version} reverts ${inLine(name)} (${inLine(made.title)}): it has the files of ${made.filesOf}, on the branch ${made.branch}.`,
    );
  });
}
