import type { BudgetReport } from "../../../../shared/protocol/results/budget.ts";
import { budgetNames } from "../../decision/budgets/spending.ts";
import { openLedger } from "../../lineage/ledger.ts";
import { buildLineage } from "../../lineage/graph.ts";
import { untrustedText } from "../../lineage/trust/untrustedVersions.ts";
import { countedOfType } from "../../lineage/trust/countedEntries.ts";
import { openRepository } from "../../lineage/repository.ts";
import { readLoopState } from "../../loop/state.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { newestProject } from "../evolution/newestProject.ts";
import { hostsOf } from "../jobs/jobList.ts";
import { runRecords } from "../jobs/runRecords.ts";
import { here } from "../workspace/machineNames.ts";
import { engineFolderOf } from "../workspace/workspace.ts";
import { currencyOf, estimateNow, spentNow } from "./spentNow.ts";

/**
 * What the evolution has spent of each budget, what is left, and what the next version will take: by the budgets of the
 * newest commit of the user's branch. Reads git and the folders of runs only. @throws HarnessError projectMissing,
 * projectInvalid, and those of openRepository
 */
export async function readBudget(root: string): Promise<BudgetReport> {
  const repository = await openRepository(root, { readOnly: true });
  const newest = await newestProject(repository)();
  const spec = newest.type === "sound" ? newest.project.spec : await loadProjectSpec(workTree(root));
  const state = await readLoopState(engineFolderOf(root));
  const since = state?.domain === spec.domain ? state.startedAt : null;
  const hosts = await hostsOf(root);
  const { entries } = await openLedger(repository).read();
  const books = {
    ...{ spec, hosts },
    jobs: [...countedOfType(entries, "job")],
    questions: [...countedOfType(entries, "question")],
    runs: await runRecords(engineFolderOf(root)),
    // Before an evolution nothing is spent.
    since: since ?? new Date().toISOString(),
  };
  const spent = spentNow(books);
  const { each, from } = estimateNow(books, spec.trainer.hosts?.[0] ?? here);
  return {
    since,
    currency: currencyOf(hosts).currency,
    from,
    untrusted: untrustedText(buildLineage(entries, spec.domain).versions, "here"),
    budgets: budgetNames.map((name) => {
      const limit = spec.budgets[name] ?? null;
      return {
        name,
        limit,
        spent: spent[name],
        left: limit === null ? null : Math.max(0, limit - spent[name]),
        next: each[name],
      };
    }),
  };
}
