import { Refusal, type FileAdapter, type ForeignFile } from "../parts/adapter.ts";
import { isFields, type Fields } from "../parts/untrusted.ts";
import { readTraces, type TracePart } from "./readTraces.ts";
import { firstRecord, traceRun } from "./records.ts";
import { traceAbsent, traceInferred } from "./spans.ts";
import { scoreCompanions, scoresBeside, type StatedIn } from "./stated.ts";

interface RowFormat extends Pick<FileAdapter, "name" | "title" | "source"> {
  readonly writer: string;
  readonly files: string;
  /** Reads the scores that the tool exports apart from the steps; left out where it exports none. */
  readonly statedIn?: StatedIn;
  /** The rows of a record that holds several; left out where each record is a row. */
  readonly rowsIn?: (record: unknown) => readonly unknown[];
}

/** What the formats whose records are steps of traces, one each, have in common. */
export function rowAdapter(
  { writer, files, statedIn, rowsIn = (record) => [record], ...format }: RowFormat,
  isRow: (value: unknown) => boolean,
  partOf: (row: Fields) => TracePart | undefined,
): FileAdapter {
  const rows = (record: unknown): readonly TracePart[] =>
    rowsIn(record).map((row) => {
      const part = isFields(row) ? partOf(row) : undefined;
      if (part === undefined) throw new Refusal("a row needs the ids of its trace and of itself");
      return part;
    });
  return {
    ...format,
    note: {
      writer,
      files,
      verdict: `none: \`--pass-when\`${statedIn === undefined ? "" : "; scores of the trace or its first step are components"}`,
    },
    provides: "rollouts",
    unit: "file",
    detect: async (file) => isRow(rowsIn(await firstRecord(file))[0]),
    runOf: traceRun,
    splitOf: () => "selection",
    ...(statedIn === undefined
      ? { read: (file: ForeignFile) => readTraces(file, rows) }
      : {
          companions: () => scoreCompanions(statedIn),
          async *read(file: ForeignFile) {
            yield* readTraces(file, rows, await scoresBeside(file, statedIn));
          },
        }),
    absent: {
      ...traceAbsent,
      ...(statedIn === undefined ? { components: "scores are not in the rows" } : {}),
    },
    inferred: {
      ...traceInferred,
      ...(statedIn === undefined
        ? {}
        : { components: "what was stated of the whole trace or of its first step, as numbers" }),
    },
  };
}
