import { shippedDiagnostics } from "../../project/library.ts";
import type { FeatureContext } from "./featureContext.ts";
import type { Located, Occurrence } from "./occurrence.ts";
import { occurrencesIn } from "./occurrencesIn.ts";

/** Whether a label comes with EvoTrainer. */
export const isShipped = (name: string): boolean =>
  shippedDiagnostics().some(({ spec }) => spec.name === name);

/** The name at a place. Where it may be a metric or a label, it is the label if there is one. */
export function symbolAt({ spec, symbols }: FeatureContext, offset: number): Occurrence | undefined {
  const here = occurrencesIn(spec).filter(({ span }) => span.start <= offset && offset <= span.end);
  const isLabel = (o: Occurrence) =>
    o.kind === "label" && (symbols.defined("label").includes(o.name) || isShipped(o.name));
  return here.find(isLabel) ?? here[0];
}

/** Names that mean something in one file only. */
const isLocal = ({ kind }: Pick<Occurrence, "kind">): boolean => kind === "param";

/** Every place that means the same as an occurrence, in all specs of the project. */
export function placesOf({ spec, symbols, file }: FeatureContext, symbol: Occurrence): readonly Located[] {
  if (!isLocal(symbol)) return symbols.of(symbol.kind, symbol.name);
  return occurrencesIn(spec)
    .filter(({ kind, name }) => kind === symbol.kind && name === symbol.name)
    .map((found) => ({ ...found, file }));
}
