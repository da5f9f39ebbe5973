import { isSeq, visit, type Document } from "yaml";
import { posix } from "node:path";
import { documentOf, type ParsedText } from "../syntax/parseSpec.ts";

/** Which edits, by their place in the list, go with which factor; the first part stays in the file. */
export type Part = { readonly factor: string; readonly edits: readonly number[] };

type Split = {
  readonly kept: string;
  readonly creates: readonly { readonly path: string; readonly text: string }[];
};

/** The texts of several interventions that were one: each has the same hypothesis and targets, and its own factor. */
export function splitIntervention(
  spec: ParsedText,
  { path, name }: { readonly path: string; readonly name: string },
  parts: readonly Part[],
): Split | undefined {
  const [first, ...rest] = parts;
  const document = documentOf(spec);
  if (!document || !first) return undefined;
  return {
    kept: partText(document, first, undefined),
    creates: rest.map((part) => {
      const own = `${name}-${part.factor}`.slice(0, 64);
      return {
        path: posix.join(posix.dirname(path), `${own}.intervention.yaml`),
        text: partText(document, part, own),
      };
    }),
  };
}

function partText(document: Document, { factor, edits }: Part, name: string | undefined): string {
  const copy = document.clone();
  const list: unknown = copy.get("edit");
  if (isSeq(list)) list.items = list.items.filter((_, i) => edits.includes(i));
  copy.set("factor", factor);
  if (name !== undefined) copy.set("name", name);
  const change: unknown = copy.getIn(["edit", 0, "path"]);
  if (copy.hasIn(["hypothesis", "change"]) && typeof change === "string")
    copy.setIn(["hypothesis", "change"], change);
  // An alias would point to an anchor that another part may have kept.
  visit(copy, { Alias: (_, alias) => copy.createNode(alias.resolve(copy)?.toJS(copy) ?? null) });
  return copy.toString({ lineWidth: 0 });
}
