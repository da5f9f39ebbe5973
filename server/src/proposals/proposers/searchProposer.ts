import { chooseDrafts, type Question } from "../chooseDrafts.ts";
import type { Proposer } from "./proposer.ts";

/** The search as a proposer like any other: `memory` is what it knows besides the question. */
export function searchProposer(
  memory: Pick<Question, "cases" | "skills" | "profile" | "tried" | "answered" | "seed" | "archive">,
): Proposer {
  return {
    name: "search",
    async propose({ project, parent, findings, count }, signal) {
      signal.throwIfAborted();
      const question = { ...memory, project, findings, count };
      const { drafts } = await chooseDrafts({
        ...question,
        ...{ parent: parent.source, version: parent.name },
      });
      signal.throwIfAborted();
      return drafts.map(({ spec, because, finding }) => ({ spec, because, finding }));
    },
  };
}
