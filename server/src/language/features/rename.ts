import { Name } from "../../../../shared/spec/common.ts";
import { ParamName } from "../../../../shared/spec/diagnostic.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";
import type { Occurrence } from "../symbols/occurrence.ts";
import { isBuiltinMeasure } from "../symbols/occurrencesIn.ts";
import { isShipped, placesOf, symbolAt } from "../symbols/symbolAt.ts";
import type { Span } from "../syntax/parseSpec.ts";

export type Renaming =
  | { readonly ok: true; readonly span: Span; readonly name: string }
  | { readonly ok: false; readonly message: string };

/** Whether the name under the pointer can be changed, and why not; undefined where there is no name. */
export function renameable(context: FeatureContext, offset: number): Renaming | undefined {
  const symbol = symbolAt(context, offset);
  if (!symbol) return undefined;
  const refused = refusal(context, symbol);
  return refused === undefined
    ? { ok: true, span: symbol.span, name: symbol.name }
    : { ok: false, message: refused };
}

function refusal({ symbols }: FeatureContext, { kind, name }: Occurrence): string | undefined {
  if (kind === "factor") return "The spec format defines the factors; choose another one instead.";
  if (kind === "file") return "Rename the file itself; then correct the specs that name it.";
  if (kind === "component")
    return "The trainer that writes the components names them; change its evidence first.";
  if (kind === "metric" && isBuiltinMeasure(name))
    return `${name} is computed by EvoTrainer under this name.`;
  if (kind === "label" && !symbols.defined("label").includes(name) && isShipped(name))
    return `${name} comes with EvoTrainer; to use another name, write your own diagnostic.`;
  return undefined;
}

export type RenameEdit = { readonly file: string; readonly span: Span; readonly text: string };

/** Every edit that gives a name to what is under the pointer, or why that name cannot be given. */
export function renamed(
  context: FeatureContext,
  offset: number,
  name: string,
):
  | { readonly ok: true; readonly edits: readonly RenameEdit[] }
  | { readonly ok: false; readonly message: string } {
  const can = renameable(context, offset);
  const symbol = symbolAt(context, offset);
  if (!can?.ok || !symbol)
    return { ok: false, message: can?.ok === false ? can.message : "There is no name here." };
  const form = (symbol.kind === "param" ? ParamName : Name).safeParse(name);
  // A metric is named as its trainer names it, which may be anything but white space.
  if (!form.success && !(symbol.kind === "metric" && /^\S+$/.test(name)))
    return { ok: false, message: form.error.issues[0]?.message ?? "This is not a valid name." };
  if (name !== symbol.name && context.symbols.defined(symbol.kind).includes(name))
    return { ok: false, message: `There is already a ${symbol.kind} ${name}.` };
  const edits = placesOf(context, symbol).map(({ file, span }) => ({ file, span, text: name }));
  return { ok: true, edits };
}
