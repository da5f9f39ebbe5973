/** What the archive has of a version, as `versions.list` says it. */
interface ListedVersion {
  readonly version: string;
  readonly selection: number;
  readonly scores: number;
}

/** Whether one of the versions has a score that was imported and no rollouts that could be compared item by item. */
export const haveScoresOnly = (listed: readonly ListedVersion[], versions: readonly string[]): boolean =>
  versions.some((name) =>
    listed.some(({ version, selection, scores }) => version === name && selection === 0 && scores > 0),
  );

/** Whether the archive has scores of a version and no rollout of any split. */
export const haveNoRollouts = (
  listed: readonly (ListedVersion & { readonly train: number })[],
  name: string,
): boolean =>
  listed.some(
    ({ version, train, selection, scores }) =>
      version === name && train === 0 && selection === 0 && scores > 0,
  );
