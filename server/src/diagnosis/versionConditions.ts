import type { LabelTally } from "../../../shared/model/labelShare.ts";
import type { MetricNames } from "../../../shared/spec/metricNames.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { countRollouts } from "../evidence/queries/query.ts";
import type { Store } from "../evidence/archive/store.ts";
import type { Aggregator } from "../statistics/scores/outcomes.ts";
import { compileVersion } from "./compileVersion.ts";
import { comparedWith, versionValues } from "./versionFacts.ts";
import { findingOf, versionFacts } from "./versionRules.ts";

export interface ConditionsOptions {
  readonly version: string;
  /** Its ancestors, the parent first. */
  readonly ancestors: readonly string[];
  readonly jobFailure?: string | null;
  readonly rewardDiffers?: boolean;
  readonly aggregator: Aggregator;
  /** What the project calls the metrics of training. */
  readonly metricNames?: MetricNames | undefined;
  /** How many of its rollouts on the selection split carry each label. */
  readonly labels: readonly (LabelTally & { readonly name: string })[];
  /** Those for the domain that compile. */
  readonly diagnostics: readonly DiagnosticSpec[];
}

/**
 * Which diagnostics over a version hold of it on the selection split, by name; null where its evidence does not say. As
 * `diagnose` finds them, but nothing is written, so that a version can be asked about beside another one.
 */
export async function versionConditions(
  store: Store,
  options: ConditionsOptions,
): Promise<ReadonlyMap<string, boolean | null>> {
  const held = await versionHeld(store, options);
  return new Map([...held].map(([name, { holds }]) => [name, holds]));
}

/** The same, each that holds with what it says of the version. */
export async function versionHeld(
  store: Store,
  {
    version,
    ancestors,
    jobFailure,
    rewardDiffers,
    aggregator,
    labels,
    diagnostics,
    metricNames,
  }: ConditionsOptions,
): Promise<ReadonlyMap<string, { readonly holds: boolean | null; readonly message: string | null }>> {
  const specs = diagnostics.filter((d) => d.over === "version");
  if (specs.length === 0) return new Map();
  const scope = { split: "selection" } as const;
  const values = await versionValues(store, { version, scope, aggregator, jobFailure, ancestors });
  const [above, ...others] = ancestors;
  const within = above === undefined ? undefined : ({ ...scope, version: above } as const);
  const hasParent = within !== undefined && (await countRollouts(store, within)).total > 0;
  const parent = hasParent
    ? {
        values: comparedWith(
          await versionValues(store, { ...within, scope, aggregator, ancestors: others }),
          rewardDiffers,
        ),
        scope: within,
      }
    : undefined;
  const facts = await versionFacts(store, { version, values, labels, parent, diagnostics, metricNames });
  return new Map(
    specs.map((spec) => {
      const holds = compileVersion(spec, "when").test(facts);
      return [spec.name, { holds, message: holds ? (findingOf(spec, facts)?.message ?? null) : null }];
    }),
  );
}
