import type { Turn } from "../../../../shared/model/rollout.ts";
import type { EvidenceMapping, MappedFields } from "../../../../shared/spec/evidenceMapping.ts";
import {
  anything,
  count,
  integer,
  milliseconds,
  moment,
  name,
  number,
  split,
  text,
  type Reader,
} from "./fieldTypes.ts";
import { Failure } from "../../expression/values.ts";
import { Refusal } from "../adapters/parts/adapter.ts";
import { fileVariables, type placeNames } from "./mappingExpressions.ts";
import { FieldCompiler, Fields, type MappingProblem, type Names, type ReadField } from "./fields.ts";
import { outcomeReader } from "./mapOutcome.ts";
import type { MappedFile, MappedResult } from "./mappedRecord.ts";
import { turnsReader } from "./mapTurns.ts";

/** One record, as JSON gives it, to one record of evidence. Never throws on bad data. */
export type RecordMapper = (record: unknown, file: MappedFile, line: number) => MappedResult;

/** The run and the version that the mapping gives a file; undefined where it leaves that open. @throws Refusal */
export type FilePlace = Readonly<
  Record<(typeof placeNames)[number], ((file: MappedFile) => string) | undefined>
>;

export type CompiledMapping =
  | {
      readonly ok: true;
      readonly map: RecordMapper;
      readonly placed: FilePlace;
      /** Fields of the contract that this mapping leaves out, so that no record can have them. */
      readonly missing: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly MappingProblem[] };

/** Fields that are one expression each and may be null. */
const optionalFields = [
  "duration_ms",
  "group",
  "harness",
  "logprob_mean",
  "policy",
  "reward",
  "sample",
  "seed",
  "split",
  "started_at",
  "step",
  "stop_reason",
  "tokens",
] as const;

/** Compiles a mapping; all problems of all expressions are reported. */
export function compileMapping({
  fields: spec,
  ...whole
}: EvidenceMapping & { readonly fields: MappedFields }): CompiledMapping {
  const compiler = new FieldCompiler();
  const placed = {
    run: placeOf("run", whole.run, compiler),
    version: placeOf("version", whole.version, compiler),
  };
  const optional = <T>(field: string, expression: string | undefined, read: Reader<T>): ReadField<T> =>
    expression === undefined ? () => null : compiler.reader(field, expression, read);
  const [id, item, prompt] = [
    optional("id", spec.id, name),
    optional("item", spec.item, name),
    optional("prompt", spec.prompt, text),
  ];
  const reason =
    spec.unknown_reason === undefined
      ? undefined
      : compiler.reader("unknown_reason", spec.unknown_reason, text);
  const outcome = outcomeReader(spec.outcome, compiler, reason);
  const turns =
    spec.turns === undefined ? textTurns(spec, prompt, compiler) : turnsReader(spec.turns, compiler.reader);
  const read = readers(spec, optional);
  const components = namedReaders("components", spec.components, number, compiler);
  const extra = namedReaders<unknown>("extra", spec.extra, anything, compiler);
  if (compiler.problems.length > 0) return { ok: false, problems: compiler.problems };

  const map: RecordMapper = (record, file, line) => {
    const fields = new Fields();
    const variables: Names = { record, file, line };
    const found = {
      id: id(variables, fields),
      item: item(variables, fields),
      prompt: prompt(variables, fields),
      turns: turns(variables, fields),
    };
    for (const field of ["id", "item", "prompt", "turns"] as const)
      if (found[field] === null && spec[field] !== undefined) fields.stop(`The record has no ${field}.`);
    if (fields.reason !== undefined || found.turns === null) return refused(fields);
    return {
      ok: true,
      record: {
        id: found.id,
        item: found.item,
        prompt: found.prompt,
        ...outcome(variables, fields),
        turns: found.turns,
        group: read.group(variables, fields),
        sample: read.sample(variables, fields),
        step: read.step(variables, fields),
        split: read.split(variables, fields),
        reward: read.reward(variables, fields),
        components: spec.components === undefined ? null : components(variables, fields),
        stop_reason: read.stop_reason(variables, fields),
        tokens: read.tokens(variables, fields),
        logprob_mean: read.logprob_mean(variables, fields),
        policy: read.policy(variables, fields),
        harness: read.harness(variables, fields),
        seed: read.seed(variables, fields),
        started_at: read.started_at(variables, fields),
        duration_ms: read.duration_ms(variables, fields),
        extra: extra(variables, fields),
      },
      problems: fields.problems,
    };
  };
  return { ok: true, map, placed, missing: missingFields(spec) };
}

type OptionalReader = <T>(field: string, expression: string | undefined, read: Reader<T>) => ReadField<T>;

function readers(spec: MappedFields, optional: OptionalReader) {
  return {
    group: optional("group", spec.group, name),
    sample: optional("sample", spec.sample, count),
    step: optional("step", spec.step, count),
    split: optional("split", spec.split, split),
    reward: optional("reward", spec.reward, number),
    stop_reason: optional("stop_reason", spec.stop_reason, name),
    tokens: optional("tokens", spec.tokens, count),
    logprob_mean: optional("logprob_mean", spec.logprob_mean, number),
    policy: optional("policy", spec.policy, text),
    harness: optional("harness", spec.harness, text),
    seed: optional("seed", spec.seed, integer),
    started_at: optional("started_at", spec.started_at, moment),
    duration_ms: optional("duration_ms", spec.duration_ms, milliseconds),
  } satisfies Record<(typeof optionalFields)[number], unknown>;
}

function refused(fields: Fields): MappedResult {
  const [first] = fields.problems;
  const cause = first === undefined ? "" : ` ${first.field} (${first.expression}): ${first.message}`;
  return {
    ok: false,
    reason: `${fields.reason ?? "The record cannot be read."}${cause}`,
    problems: fields.problems,
  };
}

/** A prompt and a completion as two turns; what the mapping does not name is no turn. */
function textTurns(spec: MappedFields, prompt: ReadField<string>, compiler: FieldCompiler) {
  const completion =
    spec.completion === undefined ? undefined : compiler.reader("completion", spec.completion, text);
  return (variables: Names, fields: Fields): Turn[] | null => {
    const asked = spec.prompt === undefined ? null : prompt(variables, new Fields());
    const turns: Turn[] = asked === null ? [] : [{ role: "user", text: asked }];
    if (completion === undefined) return turns;
    const answer = completion(variables, fields);
    if (answer === null) fields.stop("The record has no completion.");
    else turns.push({ role: "assistant", text: answer });
    return turns;
  };
}

/** Values by name, without those that the source does not have. */
function namedReaders<T>(
  field: string,
  expressions: Readonly<Record<string, string>> | undefined,
  read: Reader<T>,
  compiler: FieldCompiler,
): (variables: Names, fields: Fields) => Record<string, T> {
  const named = Object.entries(expressions ?? {}).map(
    ([key, expression]) => [key, compiler.reader(`${field}.${key}`, expression, read)] as const,
  );
  return (variables, fields) => {
    const found: [string, T][] = [];
    for (const [key, one] of named) {
      const value = one(variables, fields);
      if (value !== null) found.push([key, value]);
    }
    return Object.fromEntries(found);
  };
}

function missingFields(spec: MappedFields): string[] {
  const missing: string[] = optionalFields.filter((field) => spec[field] === undefined);
  if (spec.components === undefined) missing.push("components");
  if (spec.turns === undefined && spec.completion === undefined) missing.push("turns");
  return missing.sort();
}

function placeOf(
  field: (typeof placeNames)[number],
  expression: string | undefined,
  compiler: FieldCompiler,
): ((file: MappedFile) => string) | undefined {
  if (expression === undefined) return undefined;
  const program = compiler.program(field, expression, fileVariables);
  return (file) => {
    const value = program?.run({ file });
    if (value instanceof Failure) throw new Refusal(`${field} of the mapping: ${value.message}`);
    const found = name(value);
    if ("problem" in found) throw new Refusal(`${field} of the mapping: ${found.problem}`);
    if (found.value === null) throw new Refusal(`${field} of the mapping has no value for this file`);
    return found.value;
  };
}
