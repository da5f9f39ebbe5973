import type { JobRow, MachineSpending } from "../../../../shared/protocol/views/job.ts";
import type { HostBudget } from "../../../../shared/spec/host.ts";
import { budgetBegins, spentSince } from "../../runner/fleet/spending.ts";
import { here } from "../workspace/machineNames.ts";
import type { Hosts } from "./jobRow.ts";
import { evolutionBegan, runRecords } from "./runRecords.ts";

/** What jobs took, by machine: this one first, then by name. Machines with a budget are there also without jobs. */
export async function spendingBy(
  rows: readonly JobRow[],
  { engineFolder, hosts }: { readonly engineFolder: string; readonly hosts: Hosts },
): Promise<MachineSpending[]> {
  const nameOf = (host: string | null): string => host ?? here;
  const budgeted = Object.entries(hosts).flatMap(([name, { budget }]) =>
    budget === undefined ? [] : [name],
  );
  const names = new Set([...rows.map(({ host }) => nameOf(host)), ...budgeted]);
  if (names.size === 0) return [];
  const records = await runRecords(engineFolder);
  const began = await evolutionBegan(engineFolder);
  const now = Date.now();
  return [...names]
    .sort((a, b) => Number(b === here) - Number(a === here) || a.localeCompare(b))
    .map((host) => {
      const own = rows.filter((row) => nameOf(row.host) === host);
      const { price, budget } = (Object.hasOwn(hosts, host) ? hosts[host] : undefined) ?? {};
      return {
        host,
        jobs: own.length,
        running: own.filter(({ state }) => state === "running" || state === "queued").length,
        hours: own.reduce((sum, { seconds }) => sum + seconds / 3600, 0),
        cost:
          price === undefined
            ? null
            : {
                amount: own.reduce((sum, { cost }) => sum + (cost?.amount ?? 0), 0),
                currency: price.currency,
              },
        budget: budget === undefined ? null : taken(budget),
      };

      function taken(limits: HostBudget): NonNullable<MachineSpending["budget"]> {
        const runs = records.filter((record) => nameOf(record.host) === host);
        const spent = spentSince(runs, price, { since: budgetBegins(limits, began, now), now });
        return {
          per: limits.per,
          hours: limits.hours === undefined ? null : { taken: spent.hours, limit: limits.hours },
          cost: limits.cost === undefined ? null : { taken: spent.cost, limit: limits.cost },
        };
      }
    });
}
