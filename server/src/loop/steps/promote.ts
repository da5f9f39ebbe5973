import { percent, points, pointsInterval } from "../../../../shared/words/numbers.ts";
import type { Score } from "../../../../shared/ledger/measures.ts";
import { HarnessError } from "../../base/errors.ts";
import type { LoopPorts } from "../ports.ts";
import type { LoopState } from "../state.ts";

/** What is promoted, against what, and of how many. */
export type Promotable = Pick<LoopState, "champion" | "baseline" | "domain" | "answered">;

/**
 * Opens the audit split for the champion and the baseline, and reports the generalisation gap: what the choice on the
 * selection split has cost. @throws HarnessError jobFailed
 */
export async function promote(
  state: Promotable,
  commitOf: (version: string) => Promise<string>,
  ports: LoopPorts,
  signal: AbortSignal,
): Promise<void> {
  const { champion, baseline } = state;
  if (champion === null || baseline === null)
    throw new HarnessError("jobFailed", "There is no version to promote: the baseline was not kept.");
  const scores = new Map<string, Score | null>();
  for (const version of new Set([champion, baseline])) {
    ports.emit({ type: "jobStarted", version, what: "measuring on the audit split" });
    const result = await ports.train(
      {
        version,
        commit: await commitOf(version),
        work: { type: "measure", split: "audit" },
        policyOf: version,
      },
      signal,
    );
    ports.emit({
      type: "jobEnded",
      version,
      ok: result.failure === null,
      message: result.message,
      seconds: result.seconds,
    });
    if (result.failure !== null)
      throw new HarnessError("jobFailed", `The audit of ${version} failed: ${result.message}`);
    await ports.collect(version, "audit");
    const score = await ports.score(version, "audit");
    scores.set(version, score);
    await ports.appendToLedger([
      {
        id: `evidence:${version}:audit`,
        at: ports.now(),
        domain: state.domain,
        type: "evidence",
        version,
        split: "audit",
        score,
        cleanScore: score,
        labels: [],
        signals: {},
      },
    ]);
  }
  const selection = await ports.score(champion, "selection");
  const audit = scores.get(champion) ?? null;
  const gap = selection === null || audit === null ? null : selection.value - audit.value;
  const against = (split: "selection" | "audit") => againstBaseline(champion, baseline, split, ports);
  const sentence = [
    `The best of ${triedVersions(state)} versions tried.`,
    ...(selection === null ? [] : [`Selection: ${percent(selection.value)}${await against("selection")}.`]),
    ...(audit === null ? [] : [`Sealed audit split: ${percent(audit.value)}${await against("audit")}.`]),
    ...(gap === null ? [] : [`Generalisation gap: ${points(gap)}.`]),
  ].join(" ");
  await ports.appendToLedger([
    {
      id: `promotion:${champion}`,
      at: ports.now(),
      domain: state.domain,
      type: "promotion",
      version: champion,
      gap,
      reason: sentence,
    },
  ]);
  ports.emit({ type: "promoted", version: champion, reason: sentence });
}

async function againstBaseline(
  champion: string,
  baseline: string,
  split: "selection" | "audit",
  ports: LoopPorts,
): Promise<string> {
  if (champion === baseline) return ", the baseline itself";
  const c = await ports.compare(champion, baseline, { split, confidence: 0.95 });
  if (c === null) return "";
  return `, ${points(c.difference)} ${pointsInterval(c.low, c.high)} against the baseline ${baseline}`;
}

/** Every version of this evolution but the base and the baseline was called for by a finding. */
function triedVersions({ answered }: Promotable): number {
  return Object.values(answered).reduce((sum, n) => sum + n, 0);
}
