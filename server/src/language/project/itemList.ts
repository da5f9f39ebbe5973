import { createHash } from "node:crypto";

/** The items of a split: their names, and what they are apart from their names. */
export type ItemList = {
  readonly ids: ReadonlySet<string>;
  /** Digest of an item without its id, and the id. */
  readonly contents: ReadonlyMap<string, string>;
  /** Digest of what an item asks, whatever the field is called, and the id; without texts that several items have. */
  readonly texts: ReadonlyMap<string, string>;
};

const read = new Map<string, ItemList>();

/** Reads a JSONL file of items; lines that are no item are passed over. The last few lists are remembered. */
export function itemsIn(text: string): ItemList {
  const key = createHash("sha256").update(text).digest("base64");
  const known = read.get(key);
  if (known) return known;
  const ids = new Set<string>();
  const contents = new Map<string, string>();
  const texts = new Map<string, string>();
  const several = new Set<string>();
  for (const line of text.split("\n")) {
    const item = parseLine(line);
    if (!item) continue;
    const { id, ...rest } = item;
    if (typeof id !== "string" && typeof id !== "number") continue;
    ids.add(String(id));
    // An item that is nothing but its name has no content of its own.
    if (Object.keys(rest).length > 0)
      contents.set(createHash("sha256").update(canonicalJson(rest)).digest("base64"), String(id));
    const asked = askedBy(rest);
    if (asked === undefined) continue;
    const digest = createHash("sha256").update(asked).digest("base64");
    if (texts.has(digest)) several.add(digest);
    texts.set(digest, String(id));
  }
  // A text that is the same for several items is a frame: what tells them apart stands in other fields.
  for (const digest of several) texts.delete(digest);
  const list = { ids, contents, texts };
  if (read.size >= 12) read.delete(read.keys().next().value ?? "");
  read.set(key, list);
  return list;
}

/** What datasets call the field that holds the task. */
const taskKeys = [
  ...["prompt", "question", "problem", "problem_statement", "instruction", "input", "query", "task"],
  ...["issue", "text", "messages", "conversations"],
];

/** What the policy is asked by an item: its text, or the texts of its messages, without differences of white space. */
function askedBy(item: Readonly<Record<string, unknown>>): string | undefined {
  for (const key of taskKeys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    const text = textOf(value).replaceAll(/\s+/g, " ").trim();
    if (text !== "") return text;
  }
  return undefined;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value
    .map((message: unknown) =>
      typeof message === "object" && message !== null && "content" in message ? textOf(message.content) : "",
    )
    .join("\n");
}

function parseLine(line: string): Record<string, unknown> | undefined {
  if (!line.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    // A line that is broken is the trainer's to complain about.
    return undefined;
  }
}

/** A value as JSON, whatever the order in which its keys are written. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Items that are in both lists, under one name or under two. */
export function sharedItems(a: ItemList, b: ItemList): string[] {
  const shared = [...b.ids].filter((id) => a.ids.has(id));
  const twins = [...b.contents]
    .filter(([digest, id]) => a.contents.has(digest) && !a.ids.has(id))
    .map(([, id]) => id);
  const asked = [...b.texts]
    .filter(([digest, id]) => a.texts.has(digest) && !a.ids.has(id))
    .map(([, id]) => id);
  return [...new Set([...shared, ...twins, ...asked])];
}
