import { inLine } from "../../base/plainText.ts";
import { size } from "../../../../shared/words/numbers.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { cleanHost, type CleanedItem } from "../../engine/hosts/cleanHost.ts";
import { hostCleaner } from "../../engine/hosts/hostExecutor.ts";
import { openWorkspace } from "../../engine/workspace/workspace.ts";
import { HarnessError } from "../../base/errors.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { table } from "../terminal/table.ts";

const units = { m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** 30d as seconds. @throws HarnessError badInput */
function ageInSeconds(text: string): number {
  const [, number, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (number === undefined || (unit !== "m" && unit !== "h" && unit !== "d" && unit !== "w"))
    throw new HarnessError("badInput", `"${text}" is not an age; write it like 30d, 12h or 2w.`);
  return Number(number) * units[unit];
}

export interface HostCleanFlags {
  readonly olderThan?: string;
  readonly dryRun: boolean;
}

/** `evotrainer host clean <name>`: removes from a host what is not needed there any more. */
export async function hostClean(io: Io, cwd: string, name: string, options: HostCleanFlags): Promise<void> {
  const olderThanSeconds = options.olderThan === undefined ? 0 : ageInSeconds(options.olderThan);
  const workspace = await openWorkspace(cwd);
  const { cleaner, close } = await hostCleaner(workspace, name);
  try {
    const { trainer } = await loadProjectSpec(workTree(workspace.root));
    const items = await cleanHost(workspace, name, cleaner, {
      olderThanSeconds,
      dryRun: options.dryRun,
      data: trainer.data,
    });
    printResult(io, items, (items) => report(io, items, inLine(name), options.dryRun));
  } finally {
    close();
  }
}

function report(io: Io, items: readonly CleanedItem[], host: string, dryRun: boolean): string {
  if (items.length === 0) return `This project has nothing on ${host}.`;
  const gone = items.filter(({ kept }) => kept === null);
  const verb = dryRun ? "would be removed" : "removed";
  return `${table(
    [
      ["what", "name", "size", ""],
      ...items.map(({ kind, name, bytes, kept }) => [
        kind,
        name,
        size(bytes),
        kept === null ? verb : `stays: ${kept}`,
      ]),
    ],
    [2],
    io,
  )}
${gone.length} of ${items.length} ${verb}, ${size(gone.reduce((sum, { bytes }) => sum + bytes, 0))}.`;
}
