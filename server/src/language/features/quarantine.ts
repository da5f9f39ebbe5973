import { isMap } from "yaml";
import type { SpecAction } from "../actions/action.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";
import { documentOf, locate } from "../syntax/parseSpec.ts";

/** Makes versions whose selection split carries the label invalid, or no longer: the switch of a diagnostic's quarantine. */
export function quarantine({ spec }: FeatureContext, offset: number): SpecAction[] {
  const document = spec.kind === "diagnostic" ? documentOf(spec) : undefined;
  const label: unknown = document?.getIn(["label"], true);
  const [start, end] = (isMap(label) ? label.range : undefined) ?? [];
  const key = locate(spec, ["label"]).key;
  if (!isMap(label) || start === undefined || end === undefined || !key) return [];
  if (offset < key.start || offset > end || (document?.getIn(["over"]) ?? "rollout") !== "rollout") return [];
  const written = locate(spec, ["label", "invalidates"]).value;
  const isOn = label.get("invalidates") === true;
  const title = isOn
    ? "Quarantine no version for this label"
    : "Quarantine versions whose selection split carries this label";
  if (written) return [{ title, edits: [{ span: written, text: isOn ? "false" : "true" }], creates: [] }];
  const last = spec.text.slice(start, end).trimEnd().length + start;
  if (label.flow === true) {
    const at = last - 1;
    const before = spec.text.slice(start, at).trimEnd();
    const comma = before.endsWith(",") || before.endsWith("{") ? "" : ",";
    return [
      {
        title,
        edits: [{ span: { start: start + before.length, end: at }, text: `${comma} invalidates: true ` }],
        creates: [],
      },
    ];
  }
  const indent = spec.text.slice(spec.text.lastIndexOf("\n", start - 1) + 1, start);
  return [
    {
      title,
      edits: [{ span: { start: last, end: last }, text: `\n${indent}invalidates: true` }],
      creates: [],
    },
  ];
}
