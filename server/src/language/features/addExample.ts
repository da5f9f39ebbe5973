import { isMap, isNode, isScalar, isSeq, type YAMLMap, type YAMLSeq } from "yaml";
import { HarnessError } from "../../base/errors.ts";
import { parseYaml } from "../../base/yaml.ts";
import type { TextEdit } from "../rule/rule.ts";

/** A rollout as run/id that a diagnostic must or must not label. */
export type RolloutExample = { readonly rollout: string; readonly expect: "labelled" | "clear" };

/**
 * The edit that adds an example to the text of a diagnostic, or turns around what one of the same rollout expects; nothing but that
 * changes. Undefined when it stands there already. @throws HarnessError specInvalid for a text that is no mapping
 */
export function addExample(text: string, example: RolloutExample): TextEdit | undefined {
  const document = parseYaml(text);
  const { contents } = document;
  if (document.errors.length > 0 || !isMap(contents))
    throw new HarnessError("specInvalid", "The spec has mistakes; fix them before you add an example.");
  const node: unknown = contents.get("examples", true);
  const written = flow(example);
  if (!isSeq(node)) {
    const pair = contents.items.find(({ key }) => isScalar(key) && key.value === "examples");
    if (pair && isScalar(pair.value) && pair.value.value !== null)
      throw new HarnessError("specInvalid", "examples is not a list; fix it before you add an example.");
    const at = isScalar(pair?.key) ? lineEnd(text, pair.key.range[0]) : undefined;
    if (at !== undefined) return insert(at, `\n  - ${written}`);
    if (contents.flow === true)
      throw new HarnessError("specInvalid", "The spec is written on one line; add examples to it by hand.");
    return insert(
      text.length,
      `${text === "" || text.endsWith("\n") ? "" : "\n"}examples:\n  - ${written}\n`,
    );
  }
  const same = node.items.find((item) => isMap(item) && item.get("rollout") === example.rollout);
  if (isMap(same)) return turned(same, example);
  return behindLast(text, node, written);
}

function turned(item: YAMLMap, { expect }: RolloutExample): TextEdit | undefined {
  const value: unknown = item.get("expect", true);
  if (!isScalar(value) || !value.range)
    throw new HarnessError("specInvalid", "The example of this rollout has mistakes; fix it first.");
  if (value.value === expect) return undefined;
  return { span: { start: value.range[0], end: value.range[1] }, text: expect };
}

function behindLast(text: string, list: YAMLSeq, written: string): TextEdit {
  const ranges = list.items.map((item) => rangeOf(item));
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (list.flow === true) {
    const end = (list.range?.[1] ?? text.length) - 1;
    if (!last) return insert(end, written);
    return insert(last[1], `, ${written}`);
  }
  if (!first || !last)
    throw new HarnessError("specInvalid", "The list of examples has mistakes; fix it first.");
  const dash = text.lastIndexOf("-", first[0] - 1);
  const indent = text.slice(text.lastIndexOf("\n", dash) + 1, dash);
  const end = text.slice(0, last[1]).trimEnd().length;
  return insert(lineEnd(text, end), `\n${indent}- ${written}`);
}

function rangeOf(item: unknown): readonly [number, number] | undefined {
  return isNode(item) && item.range ? [item.range[0], item.range[1]] : undefined;
}

const insert = (at: number, text: string): TextEdit => ({ span: { start: at, end: at }, text });

/** The end of the line without its line break. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  if (end < 0) return text.length;
  return text[end - 1] === "\r" ? end - 1 : end;
}

const flow = ({ rollout, expect }: RolloutExample): string =>
  `{ rollout: ${/^[a-zA-Z][\w.@-]*\/[\w./@-]+$/.test(rollout) ? rollout : JSON.stringify(rollout)}, expect: ${expect} }`;
