import { posix } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { stateFolder, type Repository } from "../../lineage/repository.ts";

/**
 * What the engine keeps comes from this clone alone: whoever can push must not be able to bring an archive, records or a link
 * with the project's files.
 * @throws HarnessError badInput when git has anything of the engine's folder
 */
export async function assertUntracked({ git, prefix }: Pick<Repository, "git" | "prefix">): Promise<void> {
  const folder = posix.join(prefix, stateFolder);
  const listed = await git.text(["ls-files", "-z", "--", `:(top,literal)${folder}`]);
  const files = listed.split("\0").filter((path) => path !== "");
  const [first] = files;
  if (first === undefined) return;
  const more = files.length === 1 ? "" : ` and ${files.length - 1} more`;
  throw new HarnessError(
    "badInput",
    `Git tracks ${first}${more}: EvoTrainer keeps its own records there, and believes none that came with the project. Run \`git rm -r --cached ${stateFolder}\`, commit, and remove the ${stateFolder} folder if you did not make it yourself.`,
  );
}
