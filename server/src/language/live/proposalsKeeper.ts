import { Proposal, ProposalList } from "../../../../shared/protocol/views/proposals.ts";
import { messageOf } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { AskEngine } from "./askEngine.ts";

/** The proposals that wait for an answer, as the ledgers had them when they last changed. */
export type ProposalsKeeper = {
  /** Those of a project that change a file, named by its path in the project. */
  readonly touching: (root: string, file: string) => readonly Proposal[];
  /** To be called when a lineage may have changed; nobody waits for it. */
  readonly refresh: () => void;
};

/** More than a person reviews at a time are not offered beside a text. */
const mostProposals = 20;

/** `projects` is empty as long as nothing may be run. What is the same as before is not asked for again. */
export function keepProposals(options: {
  readonly projects: () => readonly string[];
  readonly ask: AskEngine;
  readonly log: Log;
}): ProposalsKeeper {
  const known = new Map<string, readonly Proposal[]>();
  let asking: Promise<void> | undefined;
  let again = false;

  async function read(root: string): Promise<void> {
    const answer = await options.ask(root, "proposals.list", {});
    const { proposals } = answer === undefined ? { proposals: [] } : ProposalList.parse(answer);
    const before = new Map(known.get(root)?.map((p) => [p.id, p]));
    const waiting = proposals.filter((p) => p.state === "waiting").slice(0, mostProposals);
    const shown: Proposal[] = [];
    for (const { id, commit } of waiting) {
      const same = before.get(id);
      shown.push(
        same?.commit === commit
          ? same
          : Proposal.parse(await options.ask(root, "proposals.show", { id, record: false })),
      );
    }
    known.set(root, shown);
  }

  async function readAll(): Promise<void> {
    for (const root of options.projects())
      try {
        await read(root);
      } catch (e) {
        // What was known stays offered; the lineage view says what is wrong with the repository.
        options.log.info("proposals", "not read", { root, message: messageOf(e) });
      }
  }

  function refresh(): void {
    again = asking !== undefined;
    if (again) return;
    asking = readAll().finally(() => {
      asking = undefined;
      if (again) refresh();
    });
  }

  return {
    touching: (root, file) =>
      (known.get(root) ?? []).filter(({ files }) => files.some(({ path }) => path === file)),
    refresh,
  };
}
