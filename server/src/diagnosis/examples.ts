import type { Rollout } from "../../../shared/model/rollout.ts";
import type {
  DiagnosticExample,
  DiagnosticSpec,
  RolloutFragment,
  VersionFragment,
} from "../../../shared/spec/diagnostic.ts";
import { labelSourceOf } from "../../../shared/spec/labelSource.ts";
import { HarnessError } from "../base/errors.ts";
import { didYouMean } from "../base/similar.ts";
import { compilePredicate } from "../predicate/compile.ts";
import { namedFacts, rolloutFacts, type Facts, type MetricFacts } from "../predicate/facts.ts";
import { variablesOf } from "../predicate/variables.ts";
import { groupFacts } from "./groupFacts.ts";

/** An example that does not come out as it says, or that cannot be tried. */
export interface ExampleFailure {
  readonly index: number;
  readonly message: string;
}

/**
 * Tries the examples that are written out; those that name an archived rollout are passed over, and all of those of a program
 * or a model, which a check does not run.
 */
export function failedExamples(spec: DiagnosticSpec): ExampleFailure[] {
  const source = labelSourceOf(spec.label);
  if (source.type !== "when") return [];
  const compiled = compilePredicate(source.when, spec.over, spec.params);
  if (!compiled.ok) return [];
  return spec.examples.flatMap((example, index): ExampleFailure[] => {
    const unknown = unknownNames(example);
    if (unknown !== undefined) return [{ index, message: unknown }];
    const facts = exampleFacts(example, index);
    if (facts === undefined) return [];
    let isLabelled: boolean;
    try {
      isLabelled = compiled.predicate.test(facts) === true;
    } catch (e) {
      if (!HarnessError.is(e)) throw e;
      return [{ index, message: e.message }];
    }
    if (isLabelled === (example.expect === "labelled")) return [];
    return [
      {
        index,
        message: isLabelled
          ? `This ${spec.over} is labelled, but the example says that it is clear.`
          : `This ${spec.over} is not labelled, but the example says that it is.`,
      },
    ];
  });
}

/** What an example says as facts; undefined for one that names an archived rollout. */
export function exampleFacts(example: DiagnosticExample, index: number): Facts | undefined {
  if (example.version !== undefined) return exampleVersion(example.version);
  const rollouts = exampleRollouts(example, index);
  const [first] = rollouts;
  if (first === undefined) return undefined;
  return example.group === undefined ? rolloutFacts(first) : groupFacts(rollouts);
}

/** The rollouts of an example, whole: one, or those of its group. */
export function exampleRollouts({ rollout, group }: DiagnosticExample, index: number): Rollout[] {
  const fragments = group ?? (rollout === undefined || typeof rollout === "string" ? [] : [rollout]);
  return fragments.map((fragment, sample) => completed(fragment, index, sample));
}

function completed(fragment: RolloutFragment, index: number, sample: number): Rollout {
  const outcome = fragment.outcome ?? "unknown";
  const rollout: Rollout = {
    id: `${index}-${sample}`,
    run: "example",
    split: "selection",
    step: 0,
    item: "item",
    group: `group-${index}`,
    sample,
    outcome,
    reward: null,
    components: {},
    stop_reason: null,
    turns: [],
    tokens: null,
    policy: null,
    harness: null,
    seed: null,
    started_at: null,
    duration_ms: null,
    extra: {},
    ...given(fragment),
  };
  return outcome === "unknown" ? { unknown_reason: "the example does not say", ...rollout } : rollout;
}

/** The fields that a fragment has, without those that are undefined. */
const given = (fragment: RolloutFragment): Partial<Rollout> =>
  Object.fromEntries(Object.entries(fragment).filter(([, value]) => value !== undefined));

function exampleVersion({ values, parent, metrics, rates, parentRates }: VersionFragment): Facts {
  const rollouts = 1_000_000;
  return namedFacts(values, {
    ...(parent === undefined ? {} : { parent }),
    version: {
      rate: (label, of) => {
        const rate = (of === "this" ? rates : parentRates)[label];
        return rate === undefined ? null : { labelled: Math.round(rate * rollouts), undecided: 0, rollouts };
      },
      metric: (name): MetricFacts | null => {
        const series = metrics[name];
        return series === undefined ? null : curveOf(name, series);
      },
    },
  });
}

function curveOf(name: string, series: readonly (number | null)[]): MetricFacts {
  const steps = [...series.keys()].filter((i) => series[i] !== null);
  const lostFrom = series.findLastIndex((value) => value !== null) + 1;
  return {
    name,
    steps,
    values: series.filter((value) => value !== null),
    lostFrom: lostFrom < series.length ? lostFrom : undefined,
    gaps: [...series.keys()].filter(
      (i) => series[i] === null && i > (steps[0] ?? 0) && i < (steps.at(-1) ?? 0),
    ),
  };
}

function unknownNames({ version }: DiagnosticExample): string | undefined {
  if (version === undefined) return undefined;
  const known = variablesOf("version").map((v) => v.name);
  const name = [version.values, version.parent ?? {}]
    .flatMap((values) => Object.keys(values))
    .find((n) => !known.includes(n));
  return name === undefined ? undefined : `A version has no variable ${name}.${didYouMean(name, known)}`;
}
