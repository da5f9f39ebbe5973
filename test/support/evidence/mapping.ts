import assert from "node:assert/strict";
import { EvidenceMapping, type MappedFields } from "../../../shared/spec/evidenceMapping.ts";
import { compileMapping } from "../../../server/src/evidence/mapping/compileMapping.ts";
import {
  mappedFile,
  type MappedRecord,
  type MappedResult,
} from "../../../server/src/evidence/mapping/mappedRecord.ts";

export type Fields = Readonly<Record<string, unknown>>;

const decided = { outcome: { pass: "record.score >= 1", fail: "record.score < 1" } };

/** For tests: a mapping with these fields, and with an item and an outcome unless the fields name them. */
export function spec(fields: Fields): EvidenceMapping & { readonly fields: MappedFields } {
  const parsed = EvidenceMapping.parse({
    apiVersion: "evotrainer/v1",
    kind: "Evidence",
    name: "test",
    fields: { item: "record.task", ...decided, ...fields },
  });
  assert.ok(parsed.fields);
  return { ...parsed, fields: parsed.fields };
}

/** For tests: the result of the mapping for a record. */
export function map(fields: Fields, record: unknown, path = "runs/a/step_0040.jsonl"): MappedResult {
  const compiled = compileMapping(spec(fields));
  assert.ok(compiled.ok, JSON.stringify(compiled));
  return compiled.map(record, mappedFile(path), 7);
}

/** For tests: a record that the fields of `spec` can read. */
export const row = { task: "t-1", score: 1 };

/** For tests: the mapped record, which must succeed, and what could not be read from it. */
export function mapped(fields: Fields, record: unknown = row): { record: MappedRecord; problems: string[] } {
  const result = map(fields, record);
  assert.ok(result.ok, JSON.stringify(result));
  return {
    record: result.record,
    problems: result.problems.map(({ field, message }) => `${field}: ${message}`),
  };
}
