import { join } from "node:path";
import { shippedDiagnostics, shippedFile } from "../../project/library.ts";
import type { FeatureContext } from "../symbols/featureContext.ts";
import { placesOf, symbolAt } from "../symbols/symbolAt.ts";
import { pointedAt } from "../syntax/cursor.ts";
import { locate, treeAt, type Span } from "../syntax/parseSpec.ts";

export type Target = { readonly file: string; readonly span: Span };

/** Where the name under the pointer is defined: in specs of the project, in the library, or in the file that is edited. */
export function definitionOf(context: FeatureContext, offset: number): readonly Target[] {
  const edited = editedPlace(context, offset);
  if (edited) return [edited];
  const symbol = symbolAt(context, offset);
  if (!symbol) return [];
  const defined = placesOf(context, symbol).filter(({ role }) => role === "definition");
  if (defined.length > 0) return defined.map(({ file, span }) => ({ file, span }));
  const shipped =
    symbol.kind === "label" ? shippedDiagnostics().find(({ spec }) => spec.name === symbol.name) : undefined;
  const found = shipped && /^name:\s*/m.exec(shipped.text);
  if (!shipped || !found) return [];
  const start = found.index + found[0].length;
  return [{ file: shippedFile(shipped), span: { start, end: start + symbol.name.length } }];
}

/** The value that an edit speaks of, in its file. */
function editedPlace({ spec, project, root }: FeatureContext, offset: number): Target | undefined {
  const pointed = spec.kind === "intervention" ? pointedAt(spec, offset) : undefined;
  const [list, index, key] = pointed?.path ?? [];
  if (list !== "edit" || (key !== "path" && key !== "from") || !project || root === undefined)
    return undefined;
  const text = (name: string): string | undefined => {
    const node = index === undefined ? undefined : treeAt(spec, [list, index, name]);
    return node?.type === "scalar" && typeof node.value === "string" ? node.value : undefined;
  };
  const [file, path] = [text("file"), text("path")];
  const target = file === undefined ? undefined : project.read(file);
  if (file === undefined || path === undefined || !target) return undefined;
  const place = locate(target, path.split("."));
  const span = key === "path" ? (place.key ?? place.value) : place.value;
  return span && { file: join(root, file), span };
}
