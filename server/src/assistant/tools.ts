import { z } from "zod";
import { HarnessError } from "../base/errors.ts";
import { didYouMean } from "../base/similar.ts";
import { jobsTool } from "./jobsTool.ts";
import { lineageTool } from "./lineageTool.ts";
import { proposeTool } from "./proposeTool.ts";
import { rolloutsTool, rolloutTool } from "./rolloutTools.ts";
import { backtestTool, tryConditionTool } from "./specTools.ts";
import type { Tool } from "./tool.ts";
import { compareTool, diagnoseTool } from "./versionTools.ts";

/** Everything that an assistant can ask, for the editor's language models and for MCP alike. */
export const tools: readonly Tool[] = [
  lineageTool,
  rolloutsTool,
  rolloutTool,
  diagnoseTool,
  compareTool,
  backtestTool,
  tryConditionTool,
  proposeTool,
  jobsTool,
];

/** @throws HarnessError badInput */
export function findTool(name: string): Tool {
  const tool = tools.find((one) => one.name === name);
  if (!tool) {
    const names = tools.map((one) => one.name);
    throw new HarnessError("badInput", `There is no tool ${name}.${didYouMean(name, names)}`);
  }
  return tool;
}

/** The JSON Schema of a tool's input. */
export function inputSchemaOf({ input }: Tool): Record<string, unknown> & { readonly type: "object" } {
  const schema: Record<string, unknown> = z.toJSONSchema(
    input.extend({
      project: z
        .string()
        .exactOptional()
        .describe("The project's folder or name, if the workspace has several."),
    }),
    { target: "draft-7", io: "input" },
  );
  Reflect.deleteProperty(schema, "$schema");
  return { ...schema, type: "object" };
}
