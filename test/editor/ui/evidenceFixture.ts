import type { EvidenceRow, EvidenceQuery } from "../../../shared/protocol/views/evidence.ts";
import { nastyText } from "./rolloutFixture.ts";

export const total = 1_000_000;
export const labels = ["echo-trap", "no-edit", "late-test"];
const row = (rid: number): EvidenceRow => ({
  rid,
  id: String(rid),
  run: "v3.train.s1",
  step: Math.floor(rid / 100),
  item: rid === 3 ? nastyText : `item-${rid % 40}`,
  sample: rid % 8,
  outcome: rid % 5 === 0 ? "pass" : rid % 17 === 0 ? "unknown" : "fail",
  reward: (rid % 11) / 10,
  stop_reason: rid % 3 === 0 ? "max_turns" : "success",
  tokens: 100 + rid,
  labels: labels.filter((_, i) => rid % (i + 2) === 0),
  notes: rid === 2 ? 2 : 0,
});

/** What an engine answers of a million rollouts, some of which carry an invalidating label. */
export const page = (query: EvidenceQuery, offset: number, limit: number, counts: boolean) => {
  const rollouts = Array.from({ length: Math.min(limit, total - offset) }, (_, i) => row(offset + i));
  const shown = query.outcome === undefined ? rollouts : rollouts.filter((r) => r.outcome === query.outcome);
  return {
    split: "train",
    offset,
    list: counts ? null : "1",
    rows: query.outcome === undefined ? total : shown.length,
    ...(counts ? { invalidating: ["late-test"] } : {}),
    counts: counts ? { total, notValid: 998, pass: 199_002, fail: 753_000, unknown: 47_000 } : null,
    rollouts:
      query.search === undefined
        ? shown
        : shown.map((r) => ({
            ...r,
            turn: 2,
            snippet: { before: "at ", hit: "Trace<b>back", after: " (most" },
          })),
  };
};
export const isBad = ({ where }: EvidenceQuery): boolean => where?.includes("outcom ") === true;
export const refusal = {
  type: "refused",
  message: "Unknown variable: outcom. Did you mean outcome?\n  outcom == 1\n  ^^^^^^",
};
