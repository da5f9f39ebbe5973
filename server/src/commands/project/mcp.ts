import { HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { serveMcp } from "../../assistant/mcp.ts";
import { findEvidenceRoot } from "../../engine/project/bareProject.ts";
import { openEngines } from "../../language/live/askEngine.ts";
import { resolve } from "node:path";
import type { AddVerb } from "../terminal/verb.ts";

export const addMcp: AddVerb = (program, { cwd }) => {
  program
    .command("mcp")
    .description("serve the tools for an assistant that speaks MCP, on standard input and output")
    .option("--project <folder>", "the project; by default the one around the current folder")
    .action(async ({ project }: { project?: string }) => mcp(resolve(cwd, project ?? ".")));
};

/** `evotrainer mcp`: the tools for an assistant, on standard input and output. The archive is held only while one works. @throws HarnessError notFound */
export async function mcp(cwd: string): Promise<void> {
  // The client would see a server whose tools all fail.
  if (!(await exists(cwd)))
    throw new HarnessError("notFound", `There is no folder ${cwd}; give --project the folder of a project.`);
  await serveMcp({ roots: [await findEvidenceRoot(cwd)], ask: openEngines().ask });
}
