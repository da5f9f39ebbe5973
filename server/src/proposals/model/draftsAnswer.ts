import * as z from "zod";
import { meantIssues } from "../../base/unionIssues.ts";
import { draftOf, problemsText, type Idea } from "../draft.ts";
import type { EvidenceTool } from "../proposers/evidenceTools.ts";
import { ideaOf, WrittenDraft } from "../proposers/ideaOf.ts";
import type { ProposerQuestion } from "../proposers/proposer.ts";

/** The tool by which a model answers. It runs nothing: its input is the answer. */
export const answerTool = "hand_over_drafts";

const Answer = z.object({ drafts: z.array(WrittenDraft) });

export function answerToolFor(count: number): EvidenceTool {
  const { $schema: _, ...input } = z.toJSONSchema(Answer, { target: "draft-7", io: "input" });
  return {
    name: answerTool,
    description: `Hands over your drafts, at most ${count}, the most promising first. They are checked at once; if one is refused you are told why. This ends your work.`,
    input,
  };
}

export interface CheckedAnswer {
  /** The drafts that can be read, and that the checks let through. */
  readonly ideas: readonly Idea[];
  /** What was wrong with the others, a sentence each with the name of its draft. */
  readonly problems: readonly string[];
}

/** Reads an answer, whatever it holds, and holds its drafts against the checks that every proposal has to pass. */
export async function checkAnswer(answer: unknown, question: ProposerQuestion): Promise<CheckedAnswer> {
  const list =
    typeof answer === "object" && answer !== null && "drafts" in answer ? answer.drafts : undefined;
  if (!Array.isArray(list)) return { ideas: [], problems: ["The answer has no list `drafts`."] };
  const ideas: Idea[] = [];
  const problems: string[] = [];
  for (const [i, value] of list.slice(0, question.count).entries()) {
    const name = nameOf(value) ?? `draft ${i + 1}`;
    const read = WrittenDraft.safeParse(value);
    if (!read.success) {
      problems.push(`${name} has the wrong form: ${issuesText(read.error)}`);
      continue;
    }
    const idea = ideaOf(read.data, question.findings);
    const refusal = await refusalOf(idea, question);
    if (refusal === null) ideas.push(idea);
    else problems.push(`${name} is refused: ${refusal}`);
  }
  if (list.length === 0) problems.push("The list of drafts is empty.");
  return { ideas, problems };
}

/** Why an idea can be no proposal; null where it can. */
async function refusalOf(
  idea: Idea,
  { parent, project }: Pick<ProposerQuestion, "parent" | "project">,
): Promise<string | null> {
  const drafted = await draftOf(idea, { parent: parent.source, declared: project.spec });
  return drafted.type === "sound" ? null : problemsText(drafted.problems);
}

/** The JSON object in a model's text, whatever it wrote around it; undefined where there is none. */
export function answerInText(text: string): unknown {
  const [start, end] = [text.indexOf("{"), text.lastIndexOf("}")];
  if (start < 0 || end < start) return undefined;
  try {
    const value: unknown = JSON.parse(text.slice(start, end + 1));
    return value;
  } catch {
    return undefined;
  }
}

function nameOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("name" in value)) return undefined;
  const { name } = value;
  return typeof name === "string" && /^[\w-]{1,64}$/.test(name) ? name : undefined;
}

const mostIssues = 4;

function issuesText(error: z.ZodError): string {
  return error.issues
    .flatMap((issue) =>
      issue.code === "invalid_union"
        ? (meantIssues(issue) ?? [issue]).map((inner) =>
            inner === issue ? issue : { ...inner, path: [...issue.path, ...inner.path] },
          )
        : [issue],
    )
    .slice(0, mostIssues)
    .map((issue) => `${issue.path.join(".")}: ${issue.message}`)
    .join("; ");
}
