import type { ResultOf } from "../services/services.ts";

/** Whether one of the versions has a score that was imported and no rollouts that could be compared item by item. */
export const haveScoresOnly = (listed: ResultOf<"versions.list">, versions: readonly string[]): boolean =>
  versions.some((name) =>
    listed.some(({ version, selection, scores }) => version === name && selection === 0 && scores > 0),
  );
