import {
  decideFromPasses,
  itemSpreads,
  publishedTree,
  treePasses,
  type ItemSpread,
} from "../test/support/lineage/publishedTree.ts";

/** Prints the table of docs/published-tree.md: how often the gates decide each version of the published tree how. */
const replications = 400;
const resamples = 1000;

function share(spread: ItemSpread, version: string, parent: string): string {
  const counts = { improved: 0, regressed: 0, noise: 0 };
  for (let seed = 1; seed <= replications; seed++) {
    const { reason } = decideFromPasses(treePasses(spread, seed), version, parent, { resamples });
    counts[reason.startsWith("Better") ? "improved" : reason.startsWith("Worse") ? "regressed" : "noise"]++;
  }
  const percent = (n: number): string => `${Math.round((100 * n) / replications)} %`;
  return `${percent(counts.improved)} / ${percent(counts.noise)} / ${percent(counts.regressed)}`;
}

process.stdout.write(
  "| version | against | change | published | better / noise / worse | with usual items |\n",
);
process.stdout.write("|---|---|---|---|---|---|\n");
for (const { name, parent, percent, decision } of publishedTree) {
  if (parent === null || name === "v1-leak") continue;
  const before = publishedTree.find((v) => v.name === parent)?.percent ?? 0;
  const change = `${percent < before ? "−" : "+"}${Math.abs(percent - before).toFixed(2)}`;
  const cells = (Object.keys(itemSpreads) as ItemSpread[]).map((spread) => share(spread, name, parent));
  process.stdout.write(`| ${[name, parent, change, decision, ...cells].join(" | ")} |\n`);
}
