import type { EvidenceTools } from "./evidenceTools.ts";

/** What says how earlier changes ended. */
const hidden = new Set(["evotrainer_lineage", "evotrainer_compare", "evotrainer_jobs"]);

/**
 * The tools for a proposer with `feedback: off`: it sees the evidence of the version that it is asked about, and not what came
 * of any other. Beside one that sees it, this measures what the measured lineage is worth.
 */
export function withoutFeedback(all: EvidenceTools, version: string): EvidenceTools {
  const open = all.tools.filter(({ name }) => !hidden.has(name));
  return {
    tools: open,
    call(name, input, signal) {
      if (!open.some((tool) => tool.name === name) || speaksOfAnother(input, version))
        return Promise.resolve({
          text: `${name} was not called: you work without feedback, so you see the evidence of ${version} alone.`,
          isError: true,
        });
      return all.call(name, input, signal);
    },
  };
}

/** A rollout is named by its run, whose name begins with the version's. */
function speaksOfAnother(input: unknown, version: string): boolean {
  if (typeof input !== "object" || input === null) return false;
  return Object.entries(input).some(([key, value]) => {
    if (typeof value !== "string") return false;
    if (key === "rollout") return !value.startsWith(`${version}.`);
    return ["version", "parent", "against"].includes(key) && value !== version;
  });
}
