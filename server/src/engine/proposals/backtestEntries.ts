import type { LedgerEntry } from "../../../../shared/ledger/ledger.ts";
import { groupColumns } from "../../evidence/queries/groupColumns.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { backtestChange, type BacktestResult } from "../../loop/steps/backtest.ts";
import { loadProject } from "../../project/project.ts";
import { commitSource } from "../project/commitSource.ts";
import type { OpenDomain } from "./openDomain.ts";

/** What a change does to its parent's archived rollouts. */
export async function backtestOf(options: {
  readonly store: Store;
  readonly open: OpenDomain;
  readonly parent: string;
  readonly parentCommit: string;
  readonly commit: string;
}): Promise<BacktestResult> {
  const { store, open, parent, parentCommit, commit } = options;
  const { repository } = open.workspace;
  return backtestChange(
    { commit, parent },
    parentCommit,
    await loadProject(commitSource(repository, parentCommit)),
    {
      readFile: (at, path) => commitSource(repository, at).read(path),
      trainGroups: (version, signals) => groupColumns(store, { split: "train", version }, { signals }),
    },
  );
}

/** The entry for a backtest of what was taken in place of the proposal; the latest one counts. */
export async function backtestEntries(options: {
  readonly store: Store;
  readonly open: OpenDomain;
  readonly version: { readonly name: string; readonly parent: string | null };
  readonly commit: string;
  readonly parentCommit: string;
  readonly at: string;
}): Promise<LedgerEntry[]> {
  const { open, version, commit, at } = options;
  if (version.parent === null) return [];
  const { summary, figures } = await backtestOf({ ...options, parent: version.parent });
  const id = `backtest:${version.name}:${commit.slice(0, 12)}`;
  return [{ id, at, domain: open.domain, version: version.name, type: "backtest", summary, figures }];
}
