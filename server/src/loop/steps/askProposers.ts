import { createHash } from "node:crypto";
import type { ProposerSpec, SearchProposer } from "../../../../shared/spec/proposer.ts";
import { seededRandom } from "../../base/random.ts";
import { HarnessError } from "../../base/errors.ts";
import { withOwnedSurfaces } from "../../project/ownedSurfaces.ts";
import { searchName } from "../../project/proposersOf.ts";
import type { chooseDrafts, Question } from "../../proposals/chooseDrafts.ts";
import { seedOf } from "../../proposals/chooseDrafts.ts";
import type { Draft } from "../../proposals/draft.ts";
import { shareDrafts } from "../../proposals/proposers/shareDrafts.ts";
import { whyNotNew } from "../../proposals/search/novelty.ts";
import type { AskingPorts, LoopPorts } from "../ports.ts";

/** What this step needs of the loop's ports. */
export type AskPorts = AskingPorts &
  Pick<LoopPorts, "emit"> & {
    readonly proposing: { readonly chooseDrafts: typeof chooseDrafts };
  };

/** A draft, and who made it. */
export interface ProposedDraft {
  readonly draft: Draft;
  readonly proposer: string;
}

export interface Asked extends Question {
  readonly generation: number;
}

/**
 * The next drafts: of the search alone where the project has no other proposers; else the bandit shares them out. What one
 * of them does not fill, because it cannot be asked or its drafts are refused, is left to the search, and what the search does
 * not fill to those that were not asked yet.
 */
export async function askProposers(asked: Asked, ports: AskPorts): Promise<ProposedDraft[]> {
  const { project, count, version, generation } = asked;
  const { proposers } = project.spec;
  if (count <= 0) return [];
  if (proposers.length === 0) return searched(asked, searchName, ports);
  const names = [searchName, ...proposers.map(({ name }) => name)];
  const random = seededRandom(seedFrom(`${seedOf(project)} ${project.spec.domain} ${generation} ${version}`));
  const shares = shareDrafts(count, await ports.trackRecords(names), random);
  const drafts: ProposedDraft[] = [];
  const ask = async (proposer: string, most: number): Promise<void> => {
    const share = Math.min(most, count - drafts.length);
    if (share <= 0) return;
    const question = { ...asked, count: share, tried: [...asked.tried, ...drafts.map(triedBy)] };
    const spec = proposers.find(({ name }) => name === proposer);
    if (spec === undefined) drafts.push(...(await searched(question, searchName, ports)));
    else drafts.push(...(await orNone(question, spec, ports)));
  };
  const others = shares.filter(({ proposer }) => proposer !== searchName);
  for (const { proposer, count: share } of others) await ask(proposer, share);
  await ask(searchName, count);
  // Where the search has nothing left, whoever was not asked may have something.
  for (const { name } of proposers)
    if (!others.some(({ proposer }) => proposer === name)) await ask(name, count);
  return drafts;
}

/** The question as a search that owns some surfaces, or works without feedback, is asked it. @throws HarnessError projectInvalid */
export function asSpecialist<T extends Question>(asked: T, specialist: SearchProposer): T {
  const { project, cases } = asked;
  const spec = withOwnedSurfaces(project.spec, specialist);
  return { ...asked, project: { ...project, spec }, cases: specialist.feedback === "off" ? [] : cases };
}

const triedBy = ({ draft: { spec } }: ProposedDraft): Question["tried"][number] => ({
  ...{ version: null, name: spec.name, edit: spec.edit, isHere: true },
});

async function searched(asked: Asked, proposer: string, ports: AskPorts): Promise<ProposedDraft[]> {
  const { drafts, passedOver } = await ports.proposing.chooseDrafts(asked);
  for (const message of passedOver) ports.emit({ type: "note", message });
  return drafts.map((draft) => ({ draft, proposer }));
}

/** The drafts of a proposer of the project; none where it cannot be asked, which is noted. @throws HarnessError cancelled */
async function orNone(asked: Asked, spec: ProposerSpec, ports: AskPorts): Promise<ProposedDraft[]> {
  try {
    return spec.kind === "search"
      ? await searched(asSpecialist(asked, spec), spec.name, ports)
      : await answered(asked, spec.name, ports);
  } catch (e) {
    if (!HarnessError.is(e) || e.reason === "cancelled") throw e;
    const message = `${spec.name} proposes nothing for ${asked.version} this time, and others do instead. ${e.message}`;
    ports.emit({ type: "note", message });
    return [];
  }
}

/** The drafts of a model or an agent that are new. */
async function answered(asked: Asked, proposer: string, ports: AskPorts): Promise<ProposedDraft[]> {
  const { version: parent, generation, findings, count } = asked;
  const note = (message: string): void => ports.emit({ type: "note", message });
  const { drafts, passedOver } = await ports.askProposer(proposer, {
    ...{ parent, generation, findings, count, factors: asked.factors ?? null, answers: null },
  });
  for (const message of passedOver) note(message);
  return drafts.slice(0, count).flatMap((draft) => {
    const why = whyNotTaken(draft, asked);
    if (why === null) return [{ draft, proposer }];
    note(`${draft.spec.name} of ${proposer} is passed over: ${why}`);
    return [];
  });
}

/** What was tried is tried no more, whoever proposes it. */
function whyNotTaken({ spec }: Draft, asked: Asked): string | null {
  if (asked.factors !== undefined && !asked.factors.includes(spec.factor))
    return `after the last failures another factor is tried: ${asked.factors.join(", ")}.`;
  return whyNotNew({ spec }, asked);
}

/** Any text as the seed of a generator. */
const seedFrom = (text: string): number => createHash("sha256").update(text).digest().readUInt32LE(0);
