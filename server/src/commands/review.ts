import { userInfo } from "node:os";
import { HarnessError } from "../base/errors.ts";
import { openWorkspace, readLineage } from "../engine/workspace.ts";
import { loadProjectSpec } from "../project/project.ts";
import { workTree } from "../project/source.ts";
import { chooseVersion } from "./inspect.ts";
import { printResult, type Io } from "./io.ts";

/** `evotrainer review <version> approve|reject`: answers the design gate of a version that waits. */
export async function review(
  io: Io,
  cwd: string,
  options: { version: string; answer: "approve" | "reject"; comment?: string },
): Promise<void> {
  const workspace = await openWorkspace(cwd);
  const { domain } = await loadProjectSpec(workTree(workspace.root));
  const version = chooseVersion((await readLineage(workspace, domain)).versions, options.version);
  if (version.decision !== undefined)
    throw new HarnessError(
      "badInput",
      `${version.name} is decided already (${version.decision.decision}); there is nothing to approve.`,
    );
  if (version.approvals.length > 0)
    throw new HarnessError(
      "badInput",
      `${version.name} has its answer already: ${version.approvals.at(-1)?.answer ?? ""} by ${version.approvals.at(-1)?.by ?? ""}.`,
    );
  await workspace.ledger.append([
    {
      id: `approval:${version.name}:design`,
      at: new Date().toISOString(),
      domain,
      type: "approval",
      version: version.name,
      gate: "design",
      answer: options.answer === "approve" ? "approve" : "abort",
      by: userInfo().username,
      ...(options.comment === undefined ? {} : { comment: options.comment }),
    },
  ]);
  printResult(
    io,
    { version: version.name, answer: options.answer },
    () =>
      `${version.name}: ${options.answer === "approve" ? "approved" : "rejected"}. Run \`evotrainer evolve\` to go on.`,
  );
}
