import { plan as codePlan } from "../../examples/code-gym/trainer/src/generateData.ts";
import { plan as mathPlan } from "../../examples/math-gym/trainer/src/generateData.ts";
import { plan as swePlan } from "../../examples/swe-gym/trainer/src/generateData.ts";
import { generateSplits, renderItems, type DataPlan } from "../../examples/gym/src/data.ts";
import type { Scalar } from "../../shared/spec/common.ts";
import { freshItems, type SealedItems, type SplitName } from "./freshItems.ts";
import type { DomainName } from "./plan.ts";

/** A value of the environment that lets a rollout pass without solving, where it is not `closed`. */
interface Leak {
  readonly path: string;
  readonly closed: Scalar;
}

interface ExperimentDomain {
  /** What makes a version invalid, whatever any label says of it; no arm reads this. */
  readonly leaks: readonly Leak[];
  /** The items of the shifted audit, as a file has them. */
  readonly shifted: () => string;
  /** Audit and shifted items that no project contains and that only a plan with fresh items measures on. */
  readonly fresh: () => SealedItems;
}

const sealedOf = <I, Setting>(
  plan: DataPlan<I, SplitName, Setting>,
): Pick<ExperimentDomain, "shifted" | "fresh"> => ({
  shifted: () => renderItems(generateSplits(plan).get("shifted") ?? []),
  fresh: () => freshItems(plan),
});

/** Of the file harness/environment.yaml. What the word of a grader or an upstream repair gives away was not solved. */
export const domains: Readonly<Record<DomainName, ExperimentDomain>> = {
  math: {
    leaks: [
      { path: "retrieval", closed: false },
      { path: "verdict", closed: false },
    ],
    ...sealedOf(mathPlan),
  },
  code: {
    leaks: [
      { path: "allTests", closed: false },
      { path: "skipErrors", closed: false },
    ],
    ...sealedOf(codePlan),
  },
  swe: {
    leaks: [{ path: "history", closed: "hidden" }],
    ...sealedOf(swePlan),
  },
};
