import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatted } from "../../formatted.ts";
import { root } from "../paths.ts";

/** Puts a table between the two comments of a page that have its name. */
export async function writeTable(path: string, name: string, table: string): Promise<void> {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const page = join(root, path);
  const [before = "", rest = ""] = readFileSync(page, "utf8").split(begin);
  const after = rest.split(end)[1] ?? "";
  writeFileSync(page, await formatted(page, `${before}${begin}\n\n${table}\n\n${end}${after}`));
}
