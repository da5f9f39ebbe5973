import { labelShare } from "../../../../shared/model/labelShare.ts";
import type { LabelCount } from "../../../../shared/ledger/measures.ts";
import type { EvidenceFollow } from "../../../../shared/protocol/results/evidenceFollow.ts";
import { labelNew } from "../../diagnosis/diagnose.ts";
import { LabelledSoFar } from "../../diagnosis/labelledSoFar.ts";
import type { EvidenceScope } from "../../evidence/store/split.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { EvidenceProject } from "../project/bareProject.ts";

/** Of the run that this process follows. */
const soFar = new LabelledSoFar();

/** For when rollouts were replaced. */
export const forgetFollowed = (): void => soFar.forget();

/** Labels the rollouts of a followed version that are new, and counts those of all of it. @throws HarnessError specInvalid */
export const labelFollowed = (
  store: Store,
  { diagnostics, domain }: EvidenceProject,
  scope: EvidenceScope,
): Promise<Omit<LabelCount, "alert">[]> =>
  labelNew(store, { diagnostics: diagnostics.map((d) => d.spec), domain, scope, soFar });

/** The labels that hold anywhere. */
export function labelsFound(labels: readonly Omit<LabelCount, "alert">[]): EvidenceFollow["labels"] {
  return labels
    .filter(({ labelled }) => labelled > 0)
    .map((count) => ({
      name: count.name,
      severity: count.severity,
      over: count.over ?? "rollout",
      labelled: count.labelled,
      of: count.rollouts - labelShare(count).undecided,
    }));
}
