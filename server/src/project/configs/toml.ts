import { ValuePath, type Scalar } from "../../../../shared/spec/common.ts";
import { scalarOf, wordOf, type PlacedFormat, type PlacedValue } from "./placedValue.ts";

const bareKey = String.raw`[A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*`;
const header = new RegExp(String.raw`^\s*(\[\[?)\s*(${bareKey})\s*\]\]?\s*(?:#.*)?$`);
const pair = new RegExp(
  String.raw`^(\s*(${bareKey})\s*=\s*)("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_.+-]+)\s*(?:#.*)?$`,
);

/** The values of one line each; those of lists, inline tables and texts of several lines are left out. */
function tomlValues(text: string): PlacedValue[] {
  const found: PlacedValue[] = [];
  const counts = new Map<string, number>();
  let [table, at, until] = ["", 0, ""];
  for (const line of text.split("\n")) {
    const start = at;
    at += line.length + 1;
    if (until !== "") {
      if (line.includes(until)) until = "";
      continue;
    }
    const [, open, name = ""] = header.exec(line) ?? [];
    if (open !== undefined) {
      const path = name.replaceAll(/\s/g, "");
      const index = counts.get(path) ?? 0;
      if (open === "[[") counts.set(path, index + 1);
      table = open === "[[" ? `${path}.${index}` : path;
      continue;
    }
    until = openQuotes(line);
    const [, before = "", key = "", value = ""] = pair.exec(line.replace(/\r$/, "")) ?? [];
    const path = `${table === "" ? "" : `${table}.`}${key.replaceAll(/\s/g, "")}`;
    if (value === "" || !ValuePath.safeParse(path).success) continue;
    const from = start + before.length;
    found.push({ path, value: valueOf(value), start: from, end: from + value.length });
  }
  return found;
}

/** The quotes that a line opens and does not close, of a text of several lines; "" where there are none. */
function openQuotes(line: string): string {
  const [opened = "", quotes = ""] = /^[^#"']*=\s*("""|''')/.exec(line) ?? [];
  return quotes !== "" && line.slice(opened.length).includes(quotes) ? "" : quotes;
}

function valueOf(written: string): Scalar {
  if (written.startsWith("'")) return written.slice(1, -1);
  if (!written.startsWith('"')) return scalarOf(written.replaceAll("_", ""));
  try {
    return String(JSON.parse(written));
  } catch {
    return written.slice(1, -1);
  }
}

const spell = (value: Scalar, old: string): string =>
  typeof value === "string" || value === null ? JSON.stringify(value ?? "") : wordOf(value, old);

/** TOML as prime-rl and verifiers are configured by. */
export const toml: PlacedFormat = { values: tomlValues, spell };
