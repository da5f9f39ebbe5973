import { backtestProposal } from "../../../server/src/proposals/commitProposal.ts";
import { chooseDrafts } from "../../../server/src/proposals/chooseDrafts.ts";
import { draftOf } from "../../../server/src/proposals/draft.ts";
import type { Proposing } from "../../../server/src/loop/ports.ts";
import type { FileSource } from "../../../server/src/project/source.ts";
import { harness } from "./project.ts";

const known = new Map<string, Promise<unknown>>();

/** What was made before of the same question: thousands of schedules ask the same few dozens of them. */
async function remembered<T>(question: readonly unknown[], make: () => Promise<T>): Promise<T> {
  const key = JSON.stringify(question);
  const before = known.get(key);
  // Only what `make` made of this question is under its key.
  if (before !== undefined) return before as Promise<T>;
  const made = make();
  known.set(key, made);
  return made;
}

/** The values of a version: in a simulated project nothing else differs. */
const valuesOf = (source: FileSource): Promise<string | undefined> => source.read(harness);

/** The real path of a proposal, whose answers are remembered. */
export const rememberedProposing: Proposing = {
  async chooseDrafts(question) {
    const { parent, findings, tried, answered, count } = question;
    const asked = [await valuesOf(parent), findings, tried, answered, count, question.factors];
    return remembered(["choose", ...asked], () => chooseDrafts(question));
  },
  async draftOf(idea, ground) {
    return remembered(["draft", idea, await valuesOf(ground.parent)], () => draftOf(idea, ground));
  },
  async backtestProposal(place, ports) {
    const of = async (commit: string | null): Promise<string | null> =>
      commit === null ? null : ((await valuesOf(ports.source(commit))) ?? null);
    const asked = [place.id, place.parent.name, await of(place.parent.commit), await of(place.commit)];
    return remembered(["backtest", ...asked], () => backtestProposal(place, ports));
  },
};
