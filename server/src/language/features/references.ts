import type { FeatureContext } from "../symbols/featureContext.ts";
import type { Located } from "../symbols/occurrence.ts";
import { placesOf, symbolAt } from "../symbols/symbolAt.ts";

/** Every place in the project that names what is under the pointer. */
export function referencesOf(
  context: FeatureContext,
  offset: number,
  { definitions }: { readonly definitions: boolean },
): readonly Located[] {
  const symbol = symbolAt(context, offset);
  if (!symbol) return [];
  return placesOf(context, symbol).filter(({ role }) => definitions || role === "use");
}

/** The same within the file that is open. */
export function highlightsOf(context: FeatureContext, offset: number): readonly Located[] {
  return referencesOf(context, offset, { definitions: true }).filter(({ file }) => file === context.file);
}
