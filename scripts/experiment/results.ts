import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resultsFolder } from "./paths.ts";
import { cellName, type Cell, type Plan } from "./plan.ts";
import { CellResult } from "./result.ts";

const folderOf = ({ name, small }: Plan): string => resultsFolder(name, small !== null);
const fileOf = (plan: Plan, cell: Cell): string => join(folderOf(plan), `${cellName(cell)}.json`);

export const isDone = (plan: Plan, cell: Cell): boolean => existsSync(fileOf(plan, cell));

/** Writes a result whole or not at all. */
export function writeResult(plan: Plan, result: CellResult): void {
  const file = fileOf(plan, result);
  mkdirSync(folderOf(plan), { recursive: true });
  writeFileSync(`${file}.part`, `${JSON.stringify(rounded(CellResult.parse(result)))}\n`);
  renameSync(`${file}.part`, file);
}

/** Rates are shares of few samples: six digits lose nothing. */
const rounded = (result: CellResult): unknown =>
  JSON.parse(JSON.stringify(result), (_, value: unknown) =>
    typeof value === "number" ? Number(value.toFixed(6)) : value,
  );

/** All results of a plan that are there. @throws ZodError for a file that is none */
export function readResults(plan: Plan): CellResult[] {
  const folder = folderOf(plan);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => CellResult.parse(JSON.parse(readFileSync(join(folder, name), "utf8"))));
}
