import type { Located, Symbols } from "../symbols/occurrence.ts";

const mostFound = 500;

/** Definitions whose name has the letters of a query in their order, the best matches first. */
export function workspaceSymbols(projects: readonly Symbols[], query: string): readonly Located[] {
  const wanted = query.toLowerCase();
  return projects
    .flatMap((symbols) => symbols.definitions())
    .filter(({ kind }) => kind !== "param" && kind !== "factor")
    .flatMap((found) => {
      const rank = rankOf(found.name.toLowerCase(), wanted);
      return rank === undefined ? [] : [{ found, rank }];
    })
    .sort((a, b) => a.rank - b.rank || (a.found.name < b.found.name ? -1 : 1))
    .slice(0, mostFound)
    .map(({ found }) => found);
}

function rankOf(name: string, wanted: string): number | undefined {
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  let at = 0;
  for (const char of wanted) {
    at = name.indexOf(char, at) + 1;
    if (at === 0) return undefined;
  }
  return 2;
}
