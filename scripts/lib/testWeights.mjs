import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./process.mjs";

/** Where a run writes how long each test file took, the longest in processor time first. */
export const timesFile = join(root, "out/reports/times.json");

/** Tests that wait for hosts, clusters and trainers, and leave the processor to others meanwhile. */
const waits =
  /^server\/src\/(?:runner|engine\/(?:hosts|jobs|owner))\/|^test\/engine\/(?:fleet|host|hostClean|hostPrompts|jobs|ray|slurm)\.test/;

export const laneOf = (file) => (waits.test(file.replaceAll("\\", "/")) ? "waits" : "computes");

/** Those that take longest go first: begun last, one of them would run alone at the end. In seconds on a quiet machine. */
const long = [
  [/^test\/engine\/(?:evolveCut|review|faults|fleet|host|programs|trainerPy)\.test/, 60],
  [/^test\/editor\/ui\/(?:places|walk|jobs|hosts|menus)\.test/, 60],
  [/\/soak\/|\/runner\/runVersion\.test|\/slurm\/|\/runner\/keeper\/keeper\.test/, 50],
  [/^test\/engine\//, 30],
  [/\/(?:compact|owner|importLineage|ledger|ledgerCache|versions|importCrash|crash|hunks)\.test/, 15],
  [/^test\/lsp\/|^server\/src\/(?:runner|lineage|evidence)\//, 5],
];

const recorded = (() => {
  try {
    const times = JSON.parse(readFileSync(timesFile, "utf8"));
    return new Map(times.map(({ file, milliseconds }) => [file, milliseconds / 1000]));
  } catch {
    // The first run here.
    return new Map();
  }
})();

export const weightOf = (file) =>
  recorded.get(file) ?? long.find(([pattern]) => pattern.test(file.replaceAll("\\", "/")))?.[1] ?? 0;
