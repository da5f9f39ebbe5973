import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type * as z from "zod";
import { resultsFolder } from "./paths.ts";
import { cellName, type Cell, type Plan } from "./plan.ts";
import { CellResult } from "./result.ts";

export const folderOf = ({ name, small }: Plan): string => resultsFolder(name, small !== null);
const fileOf = (plan: Plan, cell: Cell): string => join(folderOf(plan), `${cellName(cell)}.json`);

export const isDone = (plan: Plan, cell: Cell): boolean => existsSync(fileOf(plan, cell));

export const writeResult = (plan: Plan, result: CellResult): void =>
  writeWhole(fileOf(plan, result), CellResult.parse(result));

/** All results of a plan that are there. @throws ZodError for a file that is none */
export const readResults = (plan: Plan): CellResult[] => readAll(folderOf(plan), CellResult);

/** Writes what was measured whole or not at all. */
export function writeWhole(file: string, measured: object): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.part`, `${JSON.stringify(measured, rounded)}\n`);
  renameSync(`${file}.part`, file);
}

/** Rates are shares of few samples: six digits lose nothing. */
const rounded = (_: string, value: unknown): unknown =>
  typeof value === "number" ? Number(value.toFixed(6)) : value;

/** What the files of a folder hold, in the order of their names. @throws ZodError for a file that holds something else */
export function readAll<T extends z.ZodType>(folder: string, schema: T): z.output<T>[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => schema.parse(JSON.parse(readFileSync(join(folder, name), "utf8"))));
}
