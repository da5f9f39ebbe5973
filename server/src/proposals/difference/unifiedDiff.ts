import { lineDiff, linesOf } from "../../base/lineDiff.ts";
import type { EditedFile } from "../../project/editedFiles.ts";

const around = 3;

/** What differs in a file as a unified diff, as `git diff` writes it; "" where nothing does. */
export function unifiedDiff({ path, before, after }: EditedFile): string {
  if (before === after) return "";
  const [from, to] = [linesOf(before), linesOf(after)];
  const { removed, added } = lineDiff(from, to);
  const [gone, fresh] = [new Set(removed), new Set(added)];
  const steps = stepsOf(from, to, gone, fresh);
  const header = [
    `diff --git a/${path} b/${path}`,
    ...(before === null ? ["new file mode 100644"] : []),
    ...(after === null ? ["deleted file mode 100644"] : []),
    `--- ${before === null ? "/dev/null" : `a/${path}`}`,
    `+++ ${after === null ? "/dev/null" : `b/${path}`}`,
  ];
  return [...header, ...hunksOf(steps)].join("\n") + "\n";
}

interface Step {
  readonly sign: " " | "-" | "+";
  readonly line: string;
  /** Lines of either text before it. */
  readonly old: number;
  readonly now: number;
}

function stepsOf(
  from: readonly string[],
  to: readonly string[],
  gone: ReadonlySet<number>,
  fresh: ReadonlySet<number>,
): Step[] {
  const steps: Step[] = [];
  let [old, now] = [0, 0];
  while (old < from.length || now < to.length) {
    if (old < from.length && gone.has(old))
      steps.push({ sign: "-", line: from[old++] ?? "", old: old - 1, now });
    else if (fresh.has(now)) steps.push({ sign: "+", line: to[now++] ?? "", old, now: now - 1 });
    else steps.push({ sign: " ", line: from[old++] ?? "", old: old - 1, now: now++ });
  }
  return steps;
}

function hunksOf(steps: readonly Step[]): string[] {
  const changed = steps.flatMap(({ sign }, i) => (sign === " " ? [] : [i]));
  const ranges: [number, number][] = [];
  for (const i of changed) {
    const last = ranges.at(-1);
    if (last !== undefined && i - last[1] <= 2 * around) last[1] = i;
    else ranges.push([i, i]);
  }
  return ranges.flatMap(([first, last]) => {
    const part = steps.slice(Math.max(0, first - around), last + around + 1);
    const [start] = part;
    const count = (sign: Step["sign"]): number =>
      part.filter((s) => s.sign === " " || s.sign === sign).length;
    const place = (lines: number, before: number): string => `${lines === 0 ? before : before + 1},${lines}`;
    return [
      `@@ -${place(count("-"), start?.old ?? 0)} +${place(count("+"), start?.now ?? 0)} @@`,
      ...part.flatMap(({ sign, line }) =>
        line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"],
      ),
    ];
  });
}
