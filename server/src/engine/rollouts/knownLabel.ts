import type { DiagnosticFile } from "../../../../shared/protocol/results/diagnosticFile.ts";
import type { OpenSplit } from "../../../../shared/protocol/results/openSplit.ts";
import { HarnessError } from "../../base/errors.ts";
import { shellWord } from "../../base/shellWord.ts";
import { didYouMean } from "../../base/similar.ts";
import { countLabels } from "../../diagnosis/countLabels.ts";
import { usableLabel } from "../../diagnosis/label/compileLabel.ts";
import { countTried } from "../../evidence/labels/tried.ts";
import { stringOf } from "../../evidence/store/rows.ts";
import { scopeCondition } from "../../evidence/store/split.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { projectOrBare } from "../project/bareProject.ts";
import { diagnosticsGiven } from "../project/diagnosticFiles.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";

interface Asked {
  readonly label: string;
  readonly version: string;
  readonly split: OpenSplit;
  /** Diagnostics that were brought along. */
  readonly given?: readonly DiagnosticFile[];
}

/**
 * That no rollout with a label can be listed because none has it, and not because nobody looked for it.
 * @throws HarnessError notFound for a label that there is not, badInput for one that was not looked for in the version
 */
export async function assertLookedFor(
  store: Store,
  root: string,
  { label, version, split, given = [] }: Asked,
): Promise<void> {
  const scope = { split, version };
  const where = scopeCondition(scope);
  const carried = await store.query({
    sql: `SELECT 1 FROM labels l JOIN rollouts r USING (rid) WHERE l.label = ? AND ${where.sql} LIMIT 1`,
    params: [label, ...where.params],
  });
  if (carried.length > 0) return;
  const { diagnostics } = await usableDiagnostics(root, given);
  const spec = diagnostics.find(({ name }) => name === label);
  if (spec === undefined) {
    const stored = await storedLabels(store);
    if (stored.includes(label)) return;
    throw new HarnessError(
      "notFound",
      await whyNoLabel(root, { label, given }, [...diagnostics.map((d) => d.name), ...stored]),
    );
  }
  const isProgram = spec.label.analyzer !== undefined;
  const { revision } = usableLabel(spec);
  const untried = isProgram && (await countTried(store, { label, revision }, scope)) === 0;
  const found = (await countLabels(store, [spec], scope)).get(label);
  if (untried ? (found?.rollouts ?? 0) > 0 : (found?.labelled ?? 0) > 0)
    throw new HarnessError(
      "badInput",
      `The rollouts of ${version} were not labelled with ${label} yet; run \`evotrainer diagnose ${version}${split === "train" ? " --split train" : ""}${withFile(given, label)}\` first.`,
    );
}

function withFile(given: readonly DiagnosticFile[], label: string): string {
  const file = diagnosticsGiven(given).find(({ spec }) => spec.name === label);
  return file === undefined ? "" : ` --with ${shellWord(file.path)}`;
}

async function storedLabels(store: Store): Promise<string[]> {
  const rows = await store.query({ sql: "SELECT DISTINCT label FROM labels ORDER BY label", params: [] });
  return rows.map((row) => stringOf(row, "label"));
}

async function whyNoLabel(
  root: string,
  { label, given }: Required<Pick<Asked, "label" | "given">>,
  names: readonly string[],
): Promise<string> {
  const { diagnostics } = await projectOrBare(root, given);
  const other = diagnostics.find(({ spec }) => spec.name === label)?.spec;
  if (other === undefined) return `There is no label ${label}.${didYouMean(label, new Set(names))}`;
  return other.label.judge === undefined && other.over !== "rollout"
    ? `${label} is a diagnostic over a ${other.over}, so it is on no rollout; \`evotrainer diagnose\` shows it.`
    : `${label} labels no rollouts here; \`evotrainer diagnose\` shows what it says, and \`evotrainer check\` what is wrong with it.`;
}
