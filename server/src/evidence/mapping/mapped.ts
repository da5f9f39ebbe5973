import type { MappedFile, MappedRecord } from "./mappedRecord.ts";
import { mappedFile } from "./mappedRecord.ts";
import { isMappedFile, readMapping, type Mapping } from "./readMapping.ts";
import { HarnessError } from "../../base/errors.ts";
import {
  fail,
  pass,
  Refusal,
  unknown,
  type Adapter,
  type Entry,
  type ForeignFile,
  type RolloutDraft,
  type Verdict,
} from "../adapters/parts/adapter.ts";
import { fileRecords, type MappedItem } from "./mappedRecords.ts";

/** The ending of mapping files. */
export const mappingEnding = ".evidence.yaml";

/**
 * The adapter that a mapping file describes. Its text travels with what it brings in, so that a rebuild needs no file.
 * @throws HarnessError specInvalid with every problem of the mapping
 */
export function mappedAdapter(text: string, fileName: string): Adapter {
  const read = readMapping(text);
  if (!read.ok) throw new HarnessError("specInvalid", `${fileName}: ${read.problems.join(" ")}`);
  const { mapping } = read;
  const { spec, missing, placed } = mapping;
  const { run, version } = placed;
  const common = {
    name: `mapping:${spec.name}`,
    title: `mapping ${spec.name}`,
    source: fileName,
    provides: "rollouts",
    mapping: text,
    detect: (file: ForeignFile) => isMappedFile(spec, file.name),
    ...(run === undefined
      ? {}
      : {
          runOf: (file: ForeignFile) => {
            const named = run(fileOf(file));
            // Files of which the mapping says that they are of one run are one run, wherever they lie.
            return { name: named, path: `mapping:${spec.name}:${named}` };
          },
        }),
    ...(version === undefined ? {} : { versionOf: (file: ForeignFile) => version(fileOf(file)) }),
    absent: Object.fromEntries(missing.map((field) => [field, "the mapping leaves it out"])),
    inferred: {},
  } as const;
  if (spec.records === "jsonl")
    return {
      ...common,
      unit: "line",
      convert: (record, { file, line }) => [draftOf(mapping, record, file, line)],
    };
  const records = fileRecords[spec.records];
  return { ...common, unit: "file", read: (file) => entriesOf(mapping, file, records(spec, file)) };
}

async function* entriesOf(
  mapping: Mapping,
  file: ForeignFile,
  records: AsyncIterable<MappedItem>,
): AsyncGenerator<Entry> {
  for await (const item of records) {
    if (!("value" in item)) {
      yield item;
      continue;
    }
    const { record, value, nonFinite } = item;
    try {
      yield { record, drafts: [draftOf(mapping, value, file, record)], nonFinite };
    } catch (e) {
      if (!Refusal.is(e)) throw e;
      yield { record, problem: e.message };
    }
  }
}

const fileOf = ({ folders, name }: ForeignFile): MappedFile =>
  mappedFile(`${[...folders].reverse().join("/")}/${name}`);

/** @throws Refusal */
function draftOf({ map }: Mapping, record: unknown, file: ForeignFile, line: number): RolloutDraft {
  const mapped = map(record, fileOf(file), line);
  if (!mapped.ok) throw new Refusal(mapped.reason);
  const { outcome, unknown_reason, prompt, split, components, extra, ...rest } = mapped.record;
  const problems = mapped.problems.map((p) => `${p.field}: ${p.message}`);
  return {
    type: "rollout",
    ...rest,
    verdict: verdictOf(outcome, unknown_reason),
    ...(prompt === null ? {} : { prompt }),
    ...(split === null ? {} : { split }),
    components: components ?? {},
    // What an expression could not give is kept with the rollout: a null must be explained.
    extra: problems.length === 0 ? extra : { ...extra, mapping_problems: problems },
  };
}

function verdictOf(outcome: MappedRecord["outcome"], reason: string | null): Verdict {
  if (outcome === "unknown") return unknown(reason ?? "the mapping gives no reason");
  return outcome === "pass" ? pass : fail;
}
