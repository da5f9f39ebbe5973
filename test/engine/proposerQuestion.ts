import { commitSource } from "../../server/src/engine/project/commitSource.ts";
import { openRepository, resolveCommit, type Repository } from "../../server/src/lineage/repository.ts";
import { loadProject } from "../../server/src/project/project.ts";
import type { ProposerQuestion } from "../../server/src/proposals/proposers/proposer.ts";
import type { Ended, QuestionBooks } from "../../server/src/proposals/proposers/questionBooks.ts";
import { makeToyProject, toyFiles } from "./toyProject.ts";

/** The toy project with a surface of texts. */
export const makeProposerProject = (more: Readonly<Record<string, string>> = {}): string =>
  makeToyProject({
    "evotrainer.yaml": withTextSurface(toyFiles["evotrainer.yaml"] ?? ""),
    "harness/prompts/system.md": "You solve tasks.\nBe brief.\n",
    ...more,
  });

const withTextSurface = (text: string): string =>
  text.replace(
    "surfaces:\n",
    "surfaces:\n  - { factor: environment, kind: text, files: [harness/prompts/**] }\n",
  );

export interface AskedOf {
  readonly repository: Repository;
  readonly question: ProposerQuestion;
}

/** A question about the first commit of a project. The tools echo. */
export async function questionIn(root: string, more: Partial<ProposerQuestion> = {}): Promise<AskedOf> {
  const repository = await openRepository(root);
  const commit = await resolveCommit(repository, "HEAD");
  const source = commitSource(repository, commit);
  const question: ProposerQuestion = {
    project: await loadProject(source),
    parent: { name: "v1", commit, source },
    findings: [{ name: "low-score", severity: "warning", message: "The score is low." }],
    count: 3,
    hints: ["look at the shape"],
    tools: {
      tools: [{ name: "evotrainer_lineage", description: "The lineage.", input: { type: "object" } }],
      call: (name, input) => Promise.resolve({ text: `${name} ${JSON.stringify(input)}`, isError: false }),
    },
    ...more,
  };
  return { repository, question };
}

/** Books in memory, with a limit of tokens. */
export function booksWith({ tokens: limit = Infinity }: { readonly tokens?: number } = {}) {
  const kept = { calls: 0, tokens: 0, money: 0, traced: "", ended: undefined as Ended | undefined };
  const books: QuestionBooks = {
    whyNot: ({ tokens }) =>
      Promise.resolve(
        kept.tokens + tokens > limit ? `the budget of ${limit} tokens does not allow it.` : null,
      ),
    spend({ tokens, money }) {
      kept.calls++;
      kept.tokens += tokens;
      kept.money += money;
      return Promise.resolve();
    },
    trace(heading, text) {
      kept.traced += `## ${heading}\n${text}\n`;
      return Promise.resolve();
    },
    close(ended) {
      kept.ended = ended;
      return Promise.resolve();
    },
  };
  return { kept, books };
}
