import { chooseDrafts, type Question } from "./chooseDrafts.ts";
import type { Draft } from "./draft.ts";
import { isPatch } from "../../../shared/spec/edit.ts";
import type { InterventionSpec } from "../../../shared/spec/intervention.ts";

/** A draft that was sent back. */
export interface SentBack {
  readonly spec: InterventionSpec;
  /** The finding that called for it; null where none did. */
  readonly finding: string | null;
}

export type Revised =
  | { readonly type: "draft"; readonly draft: Draft }
  | { readonly type: "none"; readonly reason: string };

/** More than any search finds: all that is left is looked at. */
const many = 1000;

/**
 * The search's answer to `revise`: what the comment names, or else another value of the same setting, or else another
 * intervention for the same finding. It cannot read more of a comment than a name.
 */
export async function revise(question: Question, sent: SentBack, comment: string): Promise<Revised> {
  const { spec, finding } = sent;
  const tried = [...question.tried, { version: null, name: spec.name, edit: spec.edit, isHere: true }];
  const { drafts } = await chooseDrafts({ ...question, tried, count: many });
  const draft =
    drafts.find((d) => names(comment, d.spec.name)) ??
    drafts.find((d) => isOtherValue(d.spec, spec)) ??
    drafts.find((d) => finding !== null && d.spec.targets.includes(finding));
  return draft === undefined
    ? { type: "none", reason: "The search has no other answer." }
    : { type: "draft", draft };
}

const names = (comment: string, name: string): boolean =>
  ` ${comment.toLowerCase().replace(/[^a-z0-9-]+/g, " ")} `.includes(` ${name} `);

/** Whether one changes the same settings as the other. */
function isOtherValue(one: InterventionSpec, other: InterventionSpec): boolean {
  const places = ({ edit }: InterventionSpec): string =>
    edit
      .map((one) => (isPatch(one) ? one.patch : `${one.file} ${one.path}`))
      .sort()
      .join("\n");
  return places(one) === places(other);
}
