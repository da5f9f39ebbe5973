import { isScalar } from "yaml";
import { parseYaml } from "../../base/yaml.ts";
import type { Scalar } from "../../../../shared/spec/common.ts";

/** The scalar at a dotted path of a YAML or JSON text; undefined where there is none or the text cannot be parsed. */
export function readValue(text: string, path: string): Scalar | undefined {
  const document = parseYaml(text);
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
