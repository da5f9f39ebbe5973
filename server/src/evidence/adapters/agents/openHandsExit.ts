import { noVerdict, unknown, type Verdict } from "../parts/adapter.ts";

/**
 * Ends that are the agent's own doing: limits that it was given, going in circles, a conversation longer than the model
 * can read, a patch or an answer that it did not write.
 */
const own =
  /maximum iteration|max(?:imum)?[ _]?iterations?|MaxIterationsReached|AgentStuckInLoop|stuck in a? ?loop|ContextWindowExceeded|context window|maximum context length|prompt is too long|max(?:imum)? budget|MaxBudgetReached|budget exceeded|LLMMalformedActionError|LLMNoActionError|FunctionCallValidationError|FunctionCallNotExistsError/i;

/** What an error that ended a run says about its result: nothing, unless it is the agent's own. */
export function errorVerdict(error: string): Verdict {
  const words = error.split("\n", 1)[0]?.slice(0, 200) ?? "";
  return own.test(error) ? noVerdict(`the run ended with: ${words}`) : unknown(`the run broke: ${words}`);
}
