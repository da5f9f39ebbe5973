import type { DuckDBDataChunk } from "@duckdb/node-api";
import type * as Bindings from "@duckdb/node-bindings";
import type { LineScanner } from "./lineScanner.ts";
import { putHeap, slotBytes } from "./textValues.ts";

/** Columns of the scanner: those of rollouts, then those of turns, then names and values of all maps. */
const rolloutColumns = 24;
const componentsColumn = 14;
const turnColumns = 9;
/** Columns of a byte per row: split, outcome, and of turns ok. */
const byteColumns: readonly number[] = [6, 11, rolloutColumns + 6];
const pairColumns = rolloutColumns + turnColumns;

/** Puts the rollouts that were scanned into a chunk of as many rows, and forgets them. */
export function moveRollouts(bindings: typeof Bindings, scanner: LineScanner, chunk: DuckDBDataChunk): void {
  const { rollouts, pairs } = scanner;
  for (let i = 0; i < rolloutColumns; i++) {
    const vector = bindings.data_chunk_get_vector(chunk.chunk, i);
    if (i !== componentsColumn) {
      moveColumn(bindings, scanner, { vector, index: i, rows: rollouts });
      continue;
    }
    bindings.copy_data_to_vector(vector, 0, scanner.memory, scanner.column(i).data, rollouts * slotBytes);
    bindings.list_vector_reserve(vector, pairs);
    bindings.list_vector_set_size(vector, pairs);
    const child = bindings.list_vector_get_child(vector);
    for (const part of [0, 1])
      moveColumn(bindings, scanner, {
        vector: bindings.struct_vector_get_child(child, part),
        index: pairColumns + part,
        rows: pairs,
      });
  }
  scanner.clearRollouts();
}

/** The same for the turns. */
export function moveTurns(bindings: typeof Bindings, scanner: LineScanner, chunk: DuckDBDataChunk): void {
  const rows = scanner.turns;
  for (let i = 0; i < turnColumns; i++)
    moveColumn(bindings, scanner, {
      vector: bindings.data_chunk_get_vector(chunk.chunk, i),
      index: rolloutColumns + i,
      rows,
    });
  scanner.clearTurns();
}

interface Target {
  readonly vector: Bindings.Vector;
  readonly index: number;
  readonly rows: number;
}

function moveColumn(bindings: typeof Bindings, scanner: LineScanner, { vector, index, rows }: Target): void {
  const { data, heap, isText, valid } = scanner.column(index);
  if (heap.length > 0) scanner.point(index, rows, putHeap(bindings, vector, heap));
  const width = isText ? slotBytes : byteColumns.includes(index) ? 1 : 8;
  bindings.copy_data_to_vector(vector, 0, scanner.memory, data, rows * width);
  if (!scanner.hasNulls(index, rows)) return;
  bindings.vector_ensure_validity_writable(vector);
  bindings.copy_data_to_vector_validity(vector, 0, scanner.memory, valid, Math.ceil(rows / 64) * 8);
}
