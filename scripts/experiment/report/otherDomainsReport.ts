import { table } from "./cells.ts";
import type { DomainName, Plan } from "../plan.ts";
import type { CellResult } from "../result.ts";
import { holds, type OtherRun } from "./summary.ts";

interface Counts {
  readonly tried: number;
  readonly kept: number;
  /** Of the kept ones, with a claim that holds on fresh seeds. */
  readonly held: number;
}

/** A change of one setting, and what came of it in each domain in which a search tried it. */
export interface ChangeByDomain {
  readonly change: string;
  readonly domains: ReadonlyMap<DomainName, Counts>;
}

/**
 * What a version changes by its title, without the numbers: `turnLimit higher`, `order → easy-first`. Null of a version that changes
 * several settings, or none.
 */
export function changeOf(title: string): string | null {
  const [, path, from, to] = /^([\w.]+): (\S+) → (\S+)$/.exec(title) ?? [];
  if (path === undefined || from === undefined || to === undefined) return null;
  const [before, after] = [Number(from), Number(to)];
  if (Number.isNaN(before) || Number.isNaN(after)) return `${path} → ${to}`;
  return `${path} ${after > before ? "higher" : "lower"}`;
}

/** The changes that were kept in some domain and tried in another one as well, of all searches, without those that open a leak. */
export function changesByDomain(results: readonly CellResult[]): ChangeByDomain[] {
  const found = new Map<string, Map<DomainName, Counts>>();
  for (const { domain, decisions, claims } of results)
    for (const { version, title, decision, leaks } of decisions) {
      const change = leaks.length > 0 ? null : changeOf(title);
      if (change === null) continue;
      const by = found.get(change) ?? new Map<DomainName, Counts>();
      found.set(change, by);
      const { tried, kept, held } = by.get(domain) ?? { tried: 0, kept: 0, held: 0 };
      const isKept = decision === "keep";
      const claim = claims.find((one) => one.version === version);
      by.set(domain, {
        tried: tried + 1,
        kept: kept + Number(isKept),
        held: held + Number(isKept && claim !== undefined && holds(claim)),
      });
    }
  const kept = (by: ReadonlyMap<DomainName, Counts>): number =>
    [...by.values()].reduce((sum, one) => sum + one.kept, 0);
  return [...found]
    .filter(([, domains]) => domains.size > 1 && kept(domains) > 0)
    .map(([change, domains]) => ({ change, domains }))
    .sort((a, b) => kept(b.domains) - kept(a.domains) || (a.change < b.change ? -1 : 1));
}

/** The section on what a kept change does elsewhere; nothing where no change was tried in two domains. */
export function otherDomainsReport({ plan, results }: OtherRun): string[] {
  const all = changesByDomain(results);
  if (all.length === 0) return [];
  return [
    "## What a kept change does in another domain",
    "Single changes that some search kept in one domain and that some search tried in another one as well, over all searching arms; a higher or lower number is one change, whatever the numbers. Versions that open a leak, and those that change several settings, are not counted. Each cell has how often it was tried, how often it was kept, and how often the kept version was better than its parent on fresh seeds. The searches of a domain are not independent: many try the same change with the same seed.",
    table(
      ["change", ...plan.domains],
      all.map(({ change, domains }) => [`\`${change}\``, ...cellsOf(plan, domains)]),
    ),
  ];
}

const cellsOf = ({ domains }: Plan, of: ReadonlyMap<DomainName, Counts>): string[] =>
  domains.map((domain) => {
    const counts = of.get(domain);
    return counts === undefined ? "–" : `${counts.tried}, ${counts.kept}, ${counts.held}`;
  });
