import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { HarnessError } from "../../base/errors.ts";
import { counted } from "../../../../shared/words/numbers.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { beginBranch } from "../../lineage/versions.ts";
import { gateAnswer, versionIn } from "../../proposals/standing/proposal.ts";
import { isHarness } from "../../proposals/standing/harnessVersions.ts";
import { assessHarness } from "./assessHarness.ts";
import { harnessGround } from "./harnessGround.ts";
import { parentCommit } from "../project/harnessProject.ts";
import { wouldDiffer } from "./wouldDiffer.ts";

export interface Admitted {
  readonly decision: "keep" | "reject";
  readonly reason: string;
}

/**
 * Admits an approved harness version or not, on the archive, and records the decision with its figures and with the earlier
 * decisions that would be different now. It trains nothing and changes no other decision.
 * @throws HarnessError notFound, gateWaiting where nobody approved it
 */
export async function admitVersion(
  workspace: Pick<Workspace, "repository" | "engineFolder" | "ledger">,
  {
    store,
    domain,
    version: name,
    append,
  }: {
    readonly store: Store;
    readonly domain: string;
    readonly version: string;
    readonly append: (entries: readonly LedgerEntry[]) => Promise<void>;
  },
): Promise<Admitted> {
  const ground = await harnessGround(workspace, { store, domain });
  const { lineage, repository } = ground;
  const version = versionIn(lineage, name);
  const parent = parentCommit(lineage, version);
  if (!isHarness(version) || parent === null)
    throw new HarnessError(
      "badInput",
      `${name} is not a change of diagnostics alone, so it has to be trained.`,
    );
  if (version.decision !== undefined)
    return {
      decision: version.decision.decision === "keep" ? "keep" : "reject",
      reason: version.decision.reason,
    };
  if (gateAnswer(version)?.answer !== "approve")
    throw new HarnessError(
      "gateWaiting",
      `${name} is not admitted: nobody who is trusted here approved it; answer with \`evotrainer review ${name} approve|revise|reject\`.`,
    );
  const {
    admission,
    reason: verdict,
    before,
    after,
  } = await assessHarness(ground, {
    version: name,
    parent,
    commit: version.commit,
  });
  const isAdmitted = admission.verdict !== "refused";
  const differ = isAdmitted
    ? await wouldDiffer(store, lineage, { version: name, before: before.project, after: after.project })
    : [];
  const decision = isAdmitted ? "keep" : "reject";
  const reason = [verdict, ...(differ.length === 0 ? [] : [differText(differ.map((d) => d.version))])].join(
    " ",
  );
  if (isAdmitted) await beginBranch(repository, { domain, name, commit: version.commit });
  await append([
    {
      ...{ id: `decision:${name}`, at: new Date().toISOString(), domain, type: "decision", version: name },
      ...{ decision, reason, comparison: null, evidence: [], admission },
      ...(differ.length === 0 ? {} : { wouldDiffer: differ }),
    },
  ]);
  return { decision, reason };
}

const differText = (names: readonly string[]): string =>
  `With it, ${counted(names.length, "earlier decision")} would be different (${names.join(", ")}); none was changed, and \`evotrainer lineage --differences\` lists them.`;
