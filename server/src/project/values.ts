import { isScalar, parseDocument, stringify } from "yaml";
import type { Scalar } from "../../../shared/spec/common.ts";
import type { Edit } from "../../../shared/spec/intervention.ts";
import { HarnessError } from "../base/errors.ts";

/** The scalar at a dotted path of a YAML or JSON text; undefined where there is none or the text cannot be parsed. */
export function readValue(text: string, path: string): Scalar | undefined {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return undefined;
  const node: unknown = document.getIn(path.split("."), true);
  if (!isScalar(node)) return undefined;
  const { value } = node;
  return typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "boolean" ||
    value === null
    ? value
    : undefined;
}

/**
 * Replaces one scalar and leaves every other byte as it is: comments, spacing and order stay.
 * @throws HarnessError specInvalid when the path is missing or the value is not `from`
 */
export function replaceValue(text: string, edit: Edit): string {
  const document = parseDocument(text, { prettyErrors: false });
  const node: unknown = document.errors.length > 0 ? undefined : document.getIn(edit.path.split("."), true);
  if (!isScalar(node) || !node.range)
    throw new HarnessError(
      "specInvalid",
      `${edit.file} has no value at ${edit.path}; the intervention cannot be applied.`,
    );
  if (node.value !== edit.from)
    throw new HarnessError(
      "specInvalid",
      `${edit.path} in ${edit.file} is ${String(node.value)}, not ${String(edit.from)}; update \`from\` of the intervention.`,
    );
  const [start, end] = node.range;
  return text.slice(0, start) + stringify(edit.to).trimEnd() + text.slice(end);
}
