import { createLogUpdate } from "log-update";
import { inLine } from "../../base/plainText.ts";
import type { Io } from "./io.ts";

/** Lines at the end of a terminal that are drawn again and again. */
export interface LiveLines {
  draw(lines: readonly string[]): void;
  clear(): void;
  done(): void;
}

/** Undefined where standard error is no terminal. */
export function liveLines({ live }: Pick<Io, "live">): LiveLines | undefined {
  if (!live) return undefined;
  const update = createLogUpdate(process.stderr);
  return {
    draw: (lines) => update(lines.map((line) => cut(inLine(line), process.stderr.columns - 1)).join("\n")),
    clear: () => update.clear(),
    done: () => update.done(),
  };
}

/** No half of a character is left at the end. */
const cut = (line: string, width: number): string => line.slice(0, width).replace(/[\ud800-\udbff]$/, "");
