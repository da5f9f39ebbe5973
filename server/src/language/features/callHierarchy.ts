import type { FeatureContext } from "../symbols/featureContext.ts";
import type { Located, SymbolKind, Symbols } from "../symbols/occurrence.ts";
import { symbolAt } from "../symbols/symbolAt.ts";

/** The order in which one leads to another: what is diagnosed calls for an intervention, which becomes a skill. */
const order: readonly SymbolKind[] = ["label", "intervention", "skill"];

/** The definitions of what is under the pointer, as far as it has a place in the hierarchy. */
export function hierarchyAt(context: FeatureContext, offset: number): readonly Located[] {
  const symbol = symbolAt(context, offset);
  if (!symbol || !order.includes(symbol.kind)) return [];
  return context.symbols.of(symbol.kind, symbol.name).filter(({ role }) => role === "definition");
}

type Named = Pick<Located, "kind" | "name" | "file">;

/** What a definition leads to: the interventions that answer a diagnostic, the skills that an intervention became. */
export function leadsTo(symbols: Symbols, { kind, name, file }: Named): readonly Located[] {
  const users = new Set(
    symbols
      .of(kind, name)
      .filter((use) => use.role === "use" && use.file !== file)
      .map((use) => use.file),
  );
  return definitionsAfter(symbols, kind).filter((definition) => users.has(definition.file));
}

/** What leads to a definition: the diagnostics that an intervention answers, the interventions that a skill is made of. */
export function comesFrom(symbols: Symbols, target: Named): readonly Located[] {
  return symbols
    .definitions()
    .filter((from) => order.includes(from.kind) && order.indexOf(from.kind) < order.indexOf(target.kind))
    .filter((from) =>
      symbols.of(from.kind, from.name).some((use) => use.role === "use" && use.file === target.file),
    );
}

const definitionsAfter = (symbols: Symbols, kind: SymbolKind): readonly Located[] =>
  symbols.definitions().filter((d) => order.indexOf(d.kind) > order.indexOf(kind));
