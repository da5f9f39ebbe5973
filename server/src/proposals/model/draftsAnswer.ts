import * as z from "zod";
import { meantIssues } from "../../base/unionIssues.ts";
import { draftOf, problemsText, type Idea } from "../draft.ts";
import type { EvidenceTool } from "../proposers/evidenceTools.ts";
import { ideaOf, WrittenDraft } from "../proposers/ideaOf.ts";
import type { ProposerQuestion, RankQuestion } from "../proposers/proposer.ts";

/** The tool by which a model answers. It runs nothing: its input is the answer. */
export const answerTool = "hand_over_drafts";

/** How a question is answered: the tool for that, and what is made of its input, whatever that holds. */
export interface Handover<T> {
  readonly tool: EvidenceTool;
  check(answer: unknown): Promise<CheckedAnswer<T>>;
  readonly nameOf: (draft: T) => string;
}

export interface CheckedAnswer<T> {
  /** The drafts that can be read, and that the checks let through. */
  readonly drafts: readonly T[];
  /** What was wrong with the others, a sentence each with the name of its draft. */
  readonly problems: readonly string[];
}

/** New drafts, held against the checks that every proposal has to pass. */
export const handsOverDrafts = (question: ProposerQuestion): Handover<Idea> => ({
  tool: toolFor(
    z.object({ drafts: z.array(WrittenDraft) }),
    `Hands over your drafts, at most ${question.count}, the most promising first. They are checked at once; if one is refused you are told why. This ends your work.`,
  ),
  check: (answer) => checkDrafts(answer, question),
  nameOf: ({ spec }) => spec.name,
});

/** The names of drafts in an order; nothing of these drafts is checked, since others made them. */
export const handsOverOrder = ({ among }: Pick<RankQuestion, "among">): Handover<string> => ({
  tool: toolFor(
    z.object({ drafts: z.array(z.string()) }),
    "Hands over the names of the drafts that you were shown, all of them, the one first of which you expect the most for the score. This ends your work.",
  ),
  check: (answer) => Promise.resolve(checkOrder(answer, among)),
  nameOf: (name) => name,
});

function toolFor(answer: z.ZodType, description: string): EvidenceTool {
  const { $schema: _, ...input } = z.toJSONSchema(answer, { target: "draft-7", io: "input" });
  return { name: answerTool, description, input };
}

const noList = "The answer has no list `drafts`.";

function listIn(answer: unknown): readonly unknown[] | undefined {
  const list: unknown =
    typeof answer === "object" && answer !== null && "drafts" in answer ? answer.drafts : undefined;
  return Array.isArray(list) ? list : undefined;
}

function checkOrder(answer: unknown, among: readonly string[]): CheckedAnswer<string> {
  const list = listIn(answer);
  if (list === undefined) return { drafts: [], problems: [noList] };
  const drafts = among
    .filter((name) => list.includes(name))
    .sort((a, b) => list.indexOf(a) - list.indexOf(b));
  const left = among.filter((name) => !drafts.includes(name));
  return { drafts, problems: left.length === 0 ? [] : [`The list lacks ${left.join(", ")}.`] };
}

async function checkDrafts(answer: unknown, question: ProposerQuestion): Promise<CheckedAnswer<Idea>> {
  const list = listIn(answer);
  if (list === undefined) return { drafts: [], problems: [noList] };
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
  return { drafts: ideas, problems };
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
