import { createReadStream } from "node:fs";
import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { dirname, relative, resolve, sep } from "node:path";
import { createInterface } from "node:readline";
import { ProjectPath } from "../../../../shared/spec/common.ts";
import { jsonOf } from "../../base/jsonLines.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { exists } from "../../base/files.ts";
import { openParquet } from "../../reading/parquet.ts";
import type { FoundConfig } from "./findRuns.ts";

/** The split files that a launch script's data become, by path in the project, and what is to be said of them. */
export interface VerlSplits {
  readonly files: Readonly<Record<string, string>>;
  readonly told: readonly string[];
  /** What is missing, a sentence each, with the line that names it. */
  readonly unknown: readonly string[];
}

/** Split files are committed to git, so larger data is not copied. */
const mostBytes = 64 * 1024 ** 2;

type Row = Readonly<Record<string, unknown>>;

/**
 * Reads the files that `data.train_files` and `data.val_files` of a launch script name: Parquet, or lines of JSON. The rows for
 * validation are for selection and for the audit, half each, by the hash of their content. A file that the project has is left.
 */
export async function verlSplits(config: FoundConfig, root: string): Promise<VerlSplits> {
  const files: Record<string, string> = {};
  const [told, unknown]: [string[], string[]] = [[], []];
  const sides = [
    { key: "data.train_files", id: "train", splits: ["train"] },
    { key: "data.val_files", id: "val", splits: ["selection", "audit"] },
  ] as const;
  const shown = inside(config.file, root) ?? config.file;
  for (const { key, id, splits } of sides) {
    const paths = splits.map((split) => `data/${split}.jsonl`);
    const there = await Promise.all(paths.map((path) => exists(resolve(root, path))));
    if (there.every(Boolean)) {
      told.push(`${paths.join(" and ")} are there already, and stay.`);
      continue;
    }
    const named = namedAt(config, key);
    const fill = `write ${paths.join(" and ")}: lines such as {"id": "${id}-0", "prompt": [{"role": "user", "content": "…"}], "data_source": "…", "reward_model": {"ground_truth": "…"}}`;
    if (named === undefined) {
      unknown.push(`Which items are for ${splits.join(" and ")}: ${key} is not set; ${fill}.`);
      continue;
    }
    const read = await rowsOf(named.said, { config, root });
    if (typeof read === "string") {
      unknown.push(
        `Which items are for ${splits.join(" and ")}: ${shown}:${named.line} sets ${key}, but ${read}; copy the data here and run this again, or ${fill}.`,
      );
      continue;
    }
    const items = withIds(read.rows, id);
    const parts = splits.length === 1 ? [items] : halves(items);
    const texts = parts.map((part) => part.map((item) => `${JSON.stringify(item)}\n`).join(""));
    if (texts.some((text) => text.length > mostBytes)) {
      unknown.push(
        `Which items are for ${splits.join(" and ")}: ${named.said} is larger than ${mostBytes / 1024 ** 2} MB, too large for git; ${fill}, for as many items as you want.`,
      );
      continue;
    }
    for (const [i, path] of paths.entries()) if (there[i] !== true) files[path] = texts[i] ?? "";
    if (splits.length > 1 && read.own.length > 0)
      unknown.push(
        `Whether ${read.own.join(", ")} is in git: it holds the items of the audit too, which stays sealed only if you keep that file out of git.`,
      );
    const twice = read.rows.length - items.length;
    told.push(
      `${paths.map((path, i) => `${path} has ${parts[i]?.length ?? 0} items`).join(", ")}, of ${named.said} (${shown}:${named.line})${twice > 0 ? `; ${twice} rows that are there twice count once` : ""}.`,
    );
  }
  return { files, told, unknown };
}

/** The path in the project; undefined where it lies elsewhere. */
function inside(path: string, root: string): string | undefined {
  const found = relative(root, path).split(sep).join("/");
  return ProjectPath.safeParse(found).success ? found : undefined;
}

function namedAt(
  { settings, untold }: FoundConfig,
  key: string,
): { readonly said: string; readonly line: number } | undefined {
  const known = settings.get(key);
  if (known !== undefined) return { said: String(known.value), line: known.line };
  return untold.find(({ path }) => path === key);
}

/** The rows of all files that a setting names, and those of the files that lie in the project; why they cannot be read, as a clause. */
async function rowsOf(
  said: string,
  { config, root }: { readonly config: FoundConfig; readonly root: string },
): Promise<{ readonly rows: Row[]; readonly own: readonly string[] } | string> {
  const rows: Row[] = [];
  const own: string[] = [];
  for (const part of said.replace(/^\s*\[|\]\s*$/g, "").split(",")) {
    const named = withVariables(part.trim().replace(/^(["'])(.*)\1$/, "$2"), config.text);
    if (/[$`*]/.test(named)) return `nobody knows what ${named} is`;
    const near = [resolve(root, named), resolve(dirname(config.file), named)];
    const found = (await Promise.all(near.map((path) => exists(path)))).indexOf(true);
    const path = near[found];
    if (path === undefined) return `${named} is not on this machine`;
    const at = inside(path, root);
    if (at !== undefined) own.push(at);
    try {
      for await (const row of path.endsWith(".parquet") ? parquetRows(path) : jsonRows(path)) rows.push(row);
    } catch (e) {
      if (!HarnessError.is(e) && codeOf(e) === undefined) throw e;
      return `${named} cannot be read (${e instanceof Error ? e.message : String(e)})`;
    }
  }
  return rows.length === 0 ? `${said} has no rows` : { rows, own };
}

/** With the variables that the script itself sets to plain text, and the home folder. */
function withVariables(path: string, script: string): string {
  let made = path;
  for (let n = 0; n < 4 && made.includes("$"); n++)
    made = made.replaceAll(/\$\{?([A-Za-z_]\w*)\}?/g, (whole, name: string) => {
      const [, set] = new RegExp(`^\\s*(?:export\\s+)?${name}=["']?([^"'\\s]*)`, "m").exec(script) ?? [];
      return set ?? (name === "HOME" ? homedir() : whole);
    });
  return made.replace(/^~(?=\/)/, homedir());
}

async function* parquetRows(path: string): AsyncGenerator<Row, void> {
  const file = await openParquet(path);
  try {
    for await (const page of file.pages()) for (const row of page) yield plainRow(row, path);
  } finally {
    await file.close();
  }
}

/** @throws HarnessError badInput for what JSON cannot hold */
function plainRow(row: Row, path: string): Row {
  const text = JSON.stringify(row, (key, value: unknown) => {
    if (typeof value === "bigint") return Number(value);
    const isBytes = typeof value === "object" && value !== null && "type" in value && value.type === "Buffer";
    if (isBytes)
      throw new HarnessError(
        "badInput",
        `${path} has bytes in ${key}, such as an image, which split files do not hold`,
      );
    return value;
  });
  return JSON.parse(text) as Row;
}

async function* jsonRows(path: string): AsyncGenerator<Row, void> {
  const stream = createReadStream(path, { encoding: "utf8" });
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      const value = jsonOf(line);
      if (typeof value === "object" && value !== null) yield value as Row;
    }
  } finally {
    stream.destroy();
  }
}

/** Each row once, with an id by its place. verl dumps prompts without ids, so equal rows cannot be told apart. */
function withIds(rows: readonly Row[], name: string): Row[] {
  const seen = new Set<string>();
  return rows.flatMap((row, i) => {
    const text = JSON.stringify([row["prompt"] ?? row, row["reward_model"]]);
    if (seen.has(text)) return [];
    seen.add(text);
    return [{ ...row, id: `${name}-${i}` }];
  });
}

/** In an order that the content decides, so that a sorted file has both kinds on both sides. */
function halves(items: readonly Row[]): [Row[], Row[]] {
  const placed = items
    .map((item) => ({ item, key: createHash("sha256").update(JSON.stringify(item)).digest("hex") }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item);
  const half = Math.ceil(placed.length / 2);
  return [placed.slice(0, half), placed.slice(half)];
}
