import { HarnessError } from "../../base/errors.ts";
import type { Store } from "../../evidence/store/database.ts";
import { importedAs } from "../../evidence/store/elsewhere.ts";
import { findVersion, type Lineage } from "../../lineage/graph.ts";
import type { TrainRequest } from "../../loop/ports.ts";
import { isHarness } from "../../proposals/standing/harnessVersions.ts";
import { gateAnswer, isProposal, refusalText } from "../../proposals/standing/proposal.ts";

/**
 * Refuses to train a version of whose name the archive has imported evidence: it would be mixed with what its jobs write.
 * @throws HarnessError badInput
 */
export async function assertUnmixed(store: Pick<Store, "query">, version: string): Promise<void> {
  const found = await importedAs(store, version);
  if (found === undefined) return;
  const runs = found.runs.map((run) => `\`evotrainer archive forget --run ${run}\``);
  throw new HarnessError(
    "badInput",
    `${version} is not trained: the archive has ${found.path}, imported as evidence of a version of that name, and what you compare would be a mixture. Run ${runs.join(" and ")}, import the file as another version (--version <name>), and run \`evotrainer evolve\` again.`,
  );
}

/**
 * Why a version is not trained; null where it may be. Its commit must be the one that the ledger has, its gate must have
 * been answered by somebody who is trusted here, and somebody like that must have made it: whatever the evolution's state says.
 */
export function refusalToTrain(
  lineage: Lineage,
  { version: name, commit, work }: TrainRequest,
): string | null {
  const version = findVersion(lineage, name);
  if (version === undefined)
    return `${name} is not trained: the ledger has no version of that name; run \`evotrainer evolve --restart\`.`;
  if (version.commit !== commit)
    return `${name} is not trained: the evolution's state names commit ${commit.slice(0, 12)}, and the ledger ${version.commit.slice(0, 12)}; run \`evotrainer evolve --restart\`.`;
  if (isHarness(version))
    return `${name} is not trained: it changes only how evidence is read, so it is admitted on the archive.`;
  if (work.type === "measure") return null;
  const backtest = gateAnswer(version, "backtest");
  if (backtest !== null && backtest.answer !== "approve")
    return `${name} is not trained. ${refusalText(backtest, "backtest")}`;
  if (isProposal(version) ? gateAnswer(version)?.answer === "approve" : version.standing !== "claim")
    return null;
  return [
    `${name} is not trained: nobody who is trusted here approved it; answer with \`evotrainer review ${name} approve|revise|reject\` and run \`evotrainer evolve\` again.`,
    ...version.claims,
  ].join(" ");
}
