import { isDeepStrictEqual } from "node:util";
import { isMap, isScalar, stringify, type Document, type YAMLMap } from "yaml";
import { HarnessError } from "../base/errors.ts";
import { parseYaml } from "../base/yaml.ts";

/** What a new entry says; everything else is as `HostSpec` has it by default. */
export interface HostEntry {
  readonly ssh?: string;
  readonly user?: string;
  readonly port?: number;
  readonly gpus?: number;
}

/**
 * Adds an entry to `hosts` of a YAML text and leaves every other byte as it is; `hosts` is begun at the end where there is none.
 * @throws HarnessError specInvalid when the text does not parse, badInput when the name is there already or `hosts` is no map
 */
export function addHost(text: string, name: string, entry: HostEntry): string {
  const document = parseYaml(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined)
    throw new HarnessError(
      "specInvalid",
      `The file is not valid YAML: ${error.message.split("\n")[0] ?? ""}`,
    );
  const plain: unknown = document.toJS({ maxAliasCount: 100 });
  const before = isRecord(plain) ? plain : {};
  if (plain !== null && !isRecord(plain))
    throw new HarnessError("badInput", "The file has no keys and values.");
  const hosts = before["hosts"] ?? {};
  if (!isRecord(hosts))
    throw new HarnessError("badInput", "`hosts` is not a map of hosts by name; correct it first.");
  if (Object.hasOwn(hosts, name)) throw new HarnessError("badInput", `There is already a host ${name}.`);
  const wanted = { ...before, hosts: { ...hosts, [name]: entry } };
  const line = `${name}: ${stringify(entry, { collectionStyle: "flow", lineWidth: 0 }).trim()}`;
  for (const edited of ways(text, document, line)) {
    const parsed = parseYaml(edited);
    if (parsed.errors.length === 0 && isDeepStrictEqual(parsed.toJS({ maxAliasCount: 100 }), wanted))
      return edited;
  }
  throw new HarnessError(
    "badInput",
    `EvoTrainer cannot add to \`hosts\` as it is written; write \`${line}\` there by hand.`,
  );
}

/** Texts that may be what is wanted, the most faithful first. */
function* ways(text: string, document: Document.Parsed, line: string): Generator<string> {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const pair = isMap(document.contents)
    ? document.contents.items.find(({ key }) => isScalar(key) && key.value === "hosts")
    : undefined;
  const value: unknown = pair?.value;
  if (pair === undefined) {
    const gap = text === "" || text.endsWith("\n") ? "" : newline;
    // Behind what ends the document nothing can be said.
    yield `${text}${gap}hosts:${newline}  ${line}${newline}`;
  } else if (isMap(value) && value.flow === true) yield inFlow(text, value, line);
  else if (isMap(value) && value.items.length > 0) yield inBlock(text, value, line, newline);
  else {
    const key: unknown = pair.key;
    const end = isScalar(key) ? (key.range?.[1] ?? 0) : 0;
    const colon = text.indexOf(":", end);
    const lineEnd = text.indexOf("\n", colon);
    const at = lineEnd < 0 ? text.length : lineEnd + 1;
    yield `${text.slice(0, at)}${lineEnd < 0 ? newline : ""}  ${line}${newline}${text.slice(at)}`;
    yield `${text.slice(0, colon + 1)} { ${line} }${text.slice(lineEnd < 0 ? text.length : lineEnd)}`;
  }
}

function inFlow(text: string, map: YAMLMap, line: string): string {
  const [, end = 0] = map.range ?? [];
  const brace = text.lastIndexOf("}", end - 1);
  const inside = text.slice(0, brace).replace(/[\s,]+$/, "");
  const [opening, comma] = map.items.length === 0 ? [" ", ""] : [" ", ","];
  return `${inside}${comma}${opening}${line} ${text.slice(brace)}`;
}

/** Behind the last entry, as far in as the first one. */
function inBlock(text: string, map: YAMLMap, line: string, newline: string): string {
  const first: unknown = map.items[0]?.key;
  const start = isScalar(first) ? (first.range?.[0] ?? 0) : 0;
  const indent = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const last: unknown = map.items.at(-1)?.value ?? map.items.at(-1)?.key;
  const range: unknown =
    typeof last === "object" && last !== null && "range" in last ? last.range : undefined;
  const valueEnd = Array.isArray(range) && typeof range[1] === "number" ? range[1] : start;
  // A block ends behind its line; a value on the line may have a comment after it.
  const stop = text[valueEnd - 1] === "\n" ? valueEnd : text.indexOf("\n", valueEnd) + 1;
  const at = stop <= 0 ? text.length : stop;
  const gap = at > 0 && text[at - 1] !== "\n" ? newline : "";
  return `${text.slice(0, at)}${gap}${indent}${line}${newline}${text.slice(at)}`;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
