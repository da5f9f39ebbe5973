import { serveMcp } from "../../assistant/mcp.ts";
import { findEvidenceRoot } from "../../engine/project/bareProject.ts";
import { openEngines } from "../../language/live/askEngine.ts";

/** `evotrainer mcp`: the tools for an assistant, on standard input and output. The archive is held only while one works. */
export async function mcp(cwd: string): Promise<void> {
  await serveMcp({ roots: [await findEvidenceRoot(cwd)], ask: openEngines().ask });
}
