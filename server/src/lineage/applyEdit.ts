import { isMap, isScalar, isSeq, stringify, type Document, type Scalar as YamlScalar } from "yaml";
import { isDeepStrictEqual } from "node:util";
import type { Scalar } from "../../../shared/spec/common.ts";
import { HarnessError } from "../base/errors.ts";
import { parseYaml } from "../base/yaml.ts";

/**
 * Sets one scalar of a YAML or JSON text and leaves every other byte as it is: comments, order, quotes, line ends.
 * `path` is dotted; a number selects an element of a list.
 * @throws HarnessError specInvalid when the text does not parse, badInput when the path is missing, is not a scalar or
 * does not hold `from`
 */
export function applyEdit(content: string, path: string, from: Scalar, to: Scalar): string {
  const document = parseYaml(content, { prettyErrors: true });
  const error = document.errors[0];
  if (error !== undefined)
    throw new HarnessError("specInvalid", `The file to edit is not valid YAML: ${firstLine(error.message)}`);
  const node = findScalar(document, path);
  const current: unknown = node.value;
  if (current !== from)
    throw new HarnessError(
      "badInput",
      `${path} is ${JSON.stringify(current)}, not ${JSON.stringify(from)}; the edit expects other content.`,
    );
  if (from === to) return content;
  for (const text of spellings(node, to)) {
    const edited = splice(content, node, text);
    if (isExactly(content, edited, path, to)) return edited;
  }
  // A spelling that fits in place was not found (an anchor in an odd place, say): let the document print itself.
  const wanted = withValue(document.toJS(), path, to);
  node.value = to;
  const printed = document.toString({ lineWidth: 0 });
  if (isDeepStrictEqual(parseYaml(printed).toJS(), wanted)) return printed;
  throw new HarnessError(
    "badInput",
    node.anchor === undefined
      ? `${path} cannot be set to ${JSON.stringify(to)} in this file; edit it by hand.`
      : `${path} has the anchor &${node.anchor} that other values refer to, so more than this value would change; edit it by hand.`,
  );
}

function firstLine(message: string): string {
  return (message.split("\n")[0] ?? message).replace(/:$/, "");
}

function findScalar(document: Document.Parsed, path: string): YamlScalar {
  let node: unknown = document.contents;
  const walked: string[] = [];
  for (const segment of path.split(".")) {
    walked.push(segment);
    let next: unknown;
    if (isMap(node))
      next = node.items.find(
        (pair) => (isScalar(pair.key) ? String(pair.key.value) : undefined) === segment,
      )?.value;
    else if (isSeq(node) && /^\d+$/.test(segment)) next = node.items[Number(segment)];
    if (next === undefined)
      throw new HarnessError("badInput", `There is no value at ${walked.join(".")}; check the path ${path}.`);
    node = next;
  }
  if (isScalar(node)) return node;
  throw new HarnessError(
    "badInput",
    `${path} is not a single value (it is a list, a map or an alias); name a value inside it.`,
  );
}

/** Ways to write a value in place of this node, the most faithful first. */
function spellings(node: YamlScalar, to: Scalar): string[] {
  const json = JSON.stringify(to);
  if (typeof to !== "string") return [json];
  const plain = stringify(to, { lineWidth: 0 }).trimEnd();
  const single = `'${to.replaceAll("'", "''")}'`;
  if (node.type === "QUOTE_SINGLE") return [single, json];
  return node.type === "QUOTE_DOUBLE" ? [json] : [plain, json];
}

function splice(content: string, node: YamlScalar, text: string): string {
  const [start, end] = node.range ?? [0, 0];
  const old = content.slice(start, end);
  // `key:` without a value has an empty range right behind the colon; a block text ends with its line end.
  const before = old === "" ? " " : "";
  const after = /\r?\n$/.exec(old)?.[0] ?? "";
  return `${content.slice(0, start)}${before}${text}${after}${content.slice(end)}`;
}

/** Whether `edited` is `content` with exactly this value changed, and still JSON if it was. */
function isExactly(content: string, edited: string, path: string, to: Scalar): boolean {
  const after = parseYaml(edited);
  if (after.errors.length > 0 || (isJson(content) && !isJson(edited))) return false;
  return isDeepStrictEqual(after.toJS(), withValue(parseYaml(content).toJS(), path, to));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A copy of plain data with one value set; the path is known to exist. */
function withValue(data: unknown, path: string, to: Scalar): unknown {
  const copy: unknown = structuredClone(data);
  const segments = path.split(".");
  const last = segments.pop() ?? "";
  let holder: unknown = copy;
  for (const segment of segments) holder = isRecord(holder) ? holder[segment] : undefined;
  if (isRecord(holder)) holder[last] = to;
  return copy;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
