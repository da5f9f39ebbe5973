import { expressionCursor } from "../expressions/expressionCursor.ts";
import { callAt, tokensOf } from "../expressions/tokens.ts";
import { callables, mappingCallables } from "../expressions/vocabulary.ts";
import type { SpecKind } from "../syntax/specKind.ts";

export type Signature = {
  readonly label: string;
  readonly doc: string;
  /** Where each parameter stands in the label. */
  readonly parameters: readonly (readonly [start: number, end: number])[];
};
export type SignatureHelp = {
  readonly signatures: readonly Signature[];
  readonly parameter: number;
};

/** The function whose arguments are being written. */
export function signatureHelp(
  spec: { readonly kind: SpecKind; readonly text: string },
  offset: number,
): SignatureHelp | undefined {
  const cursor = expressionCursor(spec, offset);
  if (!cursor) return undefined;
  const { before, around } = cursor;
  const call = callAt(tokensOf(before), before.length + 1);
  if (!call) return undefined;
  const known = around.language === "mapping" ? mappingCallables : callables(around.scope);
  const signatures = known
    .filter(({ name, method }) => name === call.name && method === call.method)
    .map(({ signature, doc, parameters }) => ({
      label: signature,
      doc,
      parameters: placesIn(signature, parameters),
    }));
  return signatures.length === 0 ? undefined : { signatures, parameter: call.argument };
}

function placesIn(signature: string, parameters: readonly string[]): [number, number][] {
  let at = signature.indexOf("(");
  return parameters.map((name) => {
    const start = signature.indexOf(name, at);
    const rest = /^[^,)]*/.exec(signature.slice(start))?.[0].length ?? name.length;
    at = start + rest;
    return [start, at];
  });
}
