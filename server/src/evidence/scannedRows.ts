import type { Source } from "./sources.ts";
import { turnSize, turnSlots, type RolloutScanner } from "./scanRollout.ts";
import type { JsonScanner } from "./scanJson.ts";

/** Where the values of a row go, column by column: a `TableBuffer`. */
export interface RowSink {
  next(value: string | number | bigint | boolean | null): void;
  nextBytes(bytes: Buffer, start: number, end: number): void;
  nextPairs(bytes: Buffer, pairs: RolloutScanner["components"]): void;
  endRow(): void;
}

/** The same rows that `rolloutRow` and `turnRow` make of a parsed line, from one that was scanned. */
export function putScanned(
  tables: { readonly rollouts: RowSink; readonly turns: RowSink },
  at: { readonly rid: number; readonly source: Source; readonly line: number },
  scanned: RolloutScanner,
): void {
  putRollout(tables.rollouts, at, scanned);
  for (let i = 0; i < scanned.turnCount; i++) putTurn(tables.turns, at.rid, i, scanned);
}

/** A text by its place in a list of places: begin, end, and whether it was resolved; null for none. */
function putPlaced(sink: RowSink, json: JsonScanner, places: Int32Array | Float64Array, slot: number): void {
  const start = places[slot] ?? -1;
  if (start < 0) sink.next(null);
  else sink.nextBytes(places[slot + 2] === 1 ? json.resolved : json.bytes, start, places[slot + 1] ?? start);
}

function putRollout(
  sink: RowSink,
  at: { readonly rid: number; readonly source: Source; readonly line: number },
  r: RolloutScanner,
): void {
  const { json, places } = r;
  const { bytes } = json;
  sink.next(at.rid);
  sink.next(at.source.source);
  sink.next(at.line);
  sink.next(at.source.version);
  sink.next(r.id);
  sink.next(r.run);
  sink.next(r.split);
  sink.next(r.step);
  putPlaced(sink, json, places, r.at.item);
  putPlaced(sink, json, places, r.at.group);
  sink.next(r.sample);
  sink.next(r.outcome);
  putPlaced(sink, json, places, r.at.unknownReason);
  sink.next(numberOrNull(r.reward));
  sink.nextPairs(bytes, r.components);
  putPlaced(sink, json, places, r.at.stopReason);
  sink.next(r.tokens);
  sink.next(numberOrNull(r.logprobMean));
  putPlaced(sink, json, places, r.at.policy);
  putPlaced(sink, json, places, r.at.harness);
  sink.next(r.seed);
  putPlaced(sink, json, places, r.at.startedAt);
  sink.next(r.durationMs);
  sink.next(r.extra);
  sink.endRow();
}

function putTurn(sink: RowSink, rid: number, idx: number, r: RolloutScanner): void {
  const { turns } = r;
  const { json } = r;
  const at = turnSize * idx;
  sink.next(rid);
  sink.next(idx);
  putPlaced(sink, json, turns, at + turnSlots.role);
  putPlaced(sink, json, turns, at + turnSlots.text);
  putPlaced(sink, json, turns, at + turnSlots.tool);
  const args = turns[at + turnSlots.args] ?? -1;
  const argsEnd = turns[at + turnSlots.argsEnd] ?? -1;
  if (argsEnd >= 0) sink.nextBytes(json.bytes, args, argsEnd);
  else sink.next(args < 0 ? null : (r.args[args] ?? null));
  const ok = turns[at + turnSlots.ok] ?? -1;
  sink.next(ok < 0 ? null : ok === 1);
  const [tokens, ms] = [turns[at + turnSlots.tokens] ?? -1, turns[at + turnSlots.ms] ?? -1];
  sink.next(tokens < 0 ? null : tokens);
  sink.next(ms < 0 ? null : ms);
  sink.endRow();
}

const numberOrNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
