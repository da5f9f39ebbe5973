import { z } from "zod";
import { HarnessError } from "../base/errors.ts";
import type { AskOptions } from "../engine/owner/withEngine.ts";
import type { ServiceName } from "../../../shared/protocol/services.ts";
import type { ParamsOf, ResultOf } from "../engine/services/services.ts";

/** The project that a tool is about, and the way to its engine. */
export interface ToolContext {
  readonly root: string;
  /** The engine's answer. @throws HarnessError notFound where there is no archive, and those of the service */
  readonly ask: <N extends ServiceName>(name: N, params: ParamsOf<N>) => Promise<ResultOf<N>>;
}

/** What a tool found: facts about all of it, and rows of which as many are given as there is room for. */
export interface ToolResult {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly rows?: {
    readonly items: readonly unknown[];
    /** The place of the first item among all. */
    readonly offset: number;
    /** Whether there are more behind the last item. */
    readonly more: boolean;
  };
}

/** One thing that an assistant can ask. */
export interface Tool<S extends z.ZodObject = z.ZodObject> {
  /** For assistants; the editor and MCP call it so. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** When to call it and what it answers, for the model. */
  readonly description: string;
  readonly input: S;
  /** Whether it changes anything: then a person confirms each call. */
  readonly writes: boolean;
  /** Whether the answer quotes what a policy or a tool of it wrote, which may try to give orders. */
  readonly quotes: boolean;
  run(context: ToolContext, input: z.output<S>): Promise<ToolResult>;
}

/** The way through a service, with the reason in the project where there is none. */
export function asking(
  root: string,
  ask: <N extends ServiceName>(
    root: string,
    name: N,
    params: ParamsOf<N>,
    options: AskOptions,
  ) => Promise<ResultOf<N> | undefined>,
  signal: AbortSignal,
): ToolContext {
  return {
    root,
    ask: async <N extends ServiceName>(name: N, params: ParamsOf<N>): Promise<ResultOf<N>> => {
      const answer: ResultOf<N> | undefined = await ask(root, name, params, { signal });
      if (answer === undefined)
        throw new HarnessError(
          "notFound",
          "This project has no evidence yet; train a version with `evotrainer evolve`, or bring evidence in with `evotrainer import <path>`.",
        );
      return answer;
    },
  };
}

/** A tool whose input is checked by its schema. */
export function defineTool<S extends z.ZodObject>(tool: Tool<S>): Tool<S> {
  return tool;
}

/** Inputs that many tools have. */
export const common = {
  version: z
    .string()
    .min(1)
    .describe(
      "A version by its name, as evotrainer_lineage lists it, or by the start of it if that fits no other (v3).",
    ),
  split: z
    .enum(["train", "selection"])
    .exactOptional()
    .describe(
      "The split whose rollouts to use; by default the one that decides on versions. The audit split is sealed.",
    ),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "a cursor is the value of next in an answer")
    .exactOptional()
    .describe("To get more: the value of next in the last answer."),
} as const;

export const placeOf = (cursor: string | undefined): number => (cursor === undefined ? 0 : Number(cursor));
