import type { Git, GitOptions } from "./gitProcess/commands.ts";

/** What git writes, line by line as it comes: where in `bytes` a line begins and ends. What it writes of a long ledger takes a hundred megabytes. */
export async function readLines(
  git: Git,
  args: readonly string[],
  onLine: (bytes: Buffer, from: number, to: number) => void,
  options: GitOptions = {},
): Promise<void> {
  let rest: Buffer | undefined;
  await git.stream(
    args,
    (chunk) => {
      const bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      for (let to = bytes.indexOf(10); to >= 0; to = bytes.indexOf(10, from)) {
        onLine(bytes, from, to);
        from = to + 1;
      }
      rest = from < bytes.length ? bytes.subarray(from) : undefined;
    },
    options,
  );
  if (rest !== undefined) onLine(rest, 0, rest.length);
}

/** Copies some bytes: of so few a call of `copy` takes longer. */
export function copyFew(source: Buffer, from: number, to: number, target: Buffer, at: number): void {
  for (let i = from; i < to; i++) target[at + i - from] = source[i] ?? 0;
}
