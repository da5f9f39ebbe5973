import * as z from "zod";
import { Rollout, Turn } from "../model/rollout.ts";
import { ApiVersion, Name } from "./common.ts";
import { AnalyzerSpec, JudgeSpec, labelSources } from "./labelSource.ts";

const layers = ["score", "signal", "behaviour"] as const;
const severities = ["info", "warning", "critical"] as const;
export const subjects = ["rollout", "group", "version"] as const;

const Expression = z.string().min(1).max(10_000);

/** A threshold's name, as expressions write it behind `params.`. */
export const ParamName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "Use letters, digits and _, starting with a letter.");

/** Numbers that a project and a domain may replace; `above` and `critical` are those of the alert. */
export const ParamValues = z.record(ParamName, z.number());
export type ParamValues = z.infer<typeof ParamValues>;

/** The thresholds of an alert under the names by which they are replaced. */
export const alertParams = ["above", "critical"] as const;

/** Part of a rollout: what a test of a diagnostic cares about. Everything else is empty or missing. */
export const RolloutFragment = z
  .strictObject(Rollout.shape)
  .extend({
    turns: z.array(
      z.strictObject(Turn.shape).extend({
        role: Turn.shape.role.default("assistant"),
        text: Turn.shape.text.default(""),
      }),
    ),
  })
  .partial();
export type RolloutFragment = z.infer<typeof RolloutFragment>;

const NamedValues = z.record(z.string().min(1), z.union([z.number(), z.string()]));

/** What a version's evidence says, for a test of a diagnostic over it. */
export const VersionFragment = z.strictObject({
  values: NamedValues.default({}).describe("Variables of the version by name."),
  parent: NamedValues.optional().describe("Variables of its parent."),
  metrics: z
    .record(z.string().min(1), z.array(z.number().nullable()))
    .default({})
    .describe("Training metrics: a value per step, null where NaN, infinity or nothing stands."),
  rates: z
    .record(z.string().min(1), z.number().min(0).max(1))
    .default({})
    .describe("Rates of labels, by label."),
  parentRates: z
    .record(z.string().min(1), z.number().min(0).max(1))
    .default({})
    .describe("Rates of labels in the parent."),
});
export type VersionFragment = z.infer<typeof VersionFragment>;

const Expect = z.enum(["labelled", "clear"]).describe("Whether it must be labelled.");

/** A rollout, group or version that the diagnostic must or must not catch. */
export const DiagnosticExample = z
  .strictObject({
    rollout: z
      .union([z.string().min(1), RolloutFragment])
      .optional()
      .describe("An archived rollout as run/id, or a part of a rollout written out."),
    group: z.array(RolloutFragment).min(1).optional().describe("The rollouts of a group, written out."),
    version: VersionFragment.optional().describe("What is known about a version, written out."),
    expect: Expect,
  })
  .superRefine((example, context) => {
    const named = subjects.filter((subject) => example[subject] !== undefined);
    if (named.length !== 1)
      context.addIssue({ code: "custom", message: "An example has one of rollout, group and version." });
  });
export type DiagnosticExample = z.infer<typeof DiagnosticExample>;

interface Mistake {
  readonly path: readonly string[];
  readonly message: string;
}

/** What is wrong with how a label is decided: by one of three, of which two are bound to rollouts. */
function* sourceMistakes({
  over,
  label,
}: {
  readonly over: (typeof subjects)[number];
  readonly label: Readonly<
    Partial<Record<(typeof labelSources)[number] | "evidence" | "invalidates", unknown>>
  >;
}): Generator<Mistake> {
  const [source, another] = labelSources.filter((key) => label[key] !== undefined);
  if (source === undefined)
    yield { path: ["label"], message: "A label has one of when, analyzer and judge." };
  else if (another !== undefined)
    yield {
      path: ["label", another],
      message: `A label has one of when, analyzer and judge, and it already has ${source}.`,
    };
  else if (source !== "when") {
    const what = source === "analyzer" ? "An analyzer" : "A judge";
    if (over !== "rollout") yield { path: ["over"], message: `${what} is over rollouts.` };
    if (label.evidence !== undefined)
      yield { path: ["label", "evidence"], message: `${what} names the turns itself: remove evidence.` };
    if (label.invalidates === true && over === "rollout")
      yield {
        path: ["label", "invalidates"],
        message: `${what} cannot make a version invalid: only a condition can be checked against every archived version again.`,
      };
  }
}

/** `*.diagnostic.yaml`: a label attached to rollouts, with the turns that show it, and when to alert. */
export const DiagnosticSpec = z
  .strictObject({
    apiVersion: ApiVersion,
    kind: z.literal("Diagnostic"),
    name: Name.describe("The name of its label and of its finding."),
    description: z.string().optional().describe("What it means for the researcher, in a sentence."),
    source: z.string().min(1).optional().describe("Where the diagnostic and its thresholds come from."),
    foldUnder: z
      .union([Name, z.array(Name).min(1)])
      .optional()
      .describe(
        "Another diagnostic that says the same or more: if that one also finds something, and is not milder, lists show this one together with it. Of several, the first that finds something counts.",
      ),
    layer: z
      .enum(layers)
      .default("behaviour")
      .describe("What it is about: scores, the signal that training gets, or what the policy did."),
    domains: z.array(Name).optional().describe("The domains that it is made for; by default all."),
    over: z
      .enum(subjects)
      .default("rollout")
      .describe(
        "What label.when is over: one rollout, the rollouts of a group, or all evidence of a version.",
      ),
    params: ParamValues.default({}).describe(
      "Thresholds by name. An expression reads them as params.name, and a project may replace them.",
    ),
    domainParams: z
      .record(Name, ParamValues)
      .default({})
      .describe("Other defaults of params, and of the alert's above and critical, in some domains."),
    label: z
      .strictObject({
        when: Expression.optional().describe(
          "CEL over one rollout, group or version; EvoTrainer sets the label if it is true.",
        ),
        analyzer: AnalyzerSpec.optional().describe(
          "Instead of when: a program that labels rollouts. It runs only in a trusted workspace.",
        ),
        judge: JudgeSpec.optional().describe(
          "Instead of when: a language model that EvoTrainer asks about a sample of the rollouts, only in a trusted workspace.",
        ),
        evidence: Expression.optional().describe("CEL over `turn`; the turns that show the label."),
        severity: z.enum(severities).default("warning").describe("How bad a finding of it is."),
        critical: Expression.optional().describe(
          "CEL over the same group or version; if it is true as well, the severity is critical.",
        ),
        message: Expression.optional().describe(
          "The sentence that the finding about a version says; {expression} stands for its value, {expression%} for a percentage.",
        ),
        invalidates: z
          .boolean()
          .default(false)
          .describe("One labelled rollout of the selection split makes the version invalid."),
      })
      .describe("What is labelled, by one of when, analyzer and judge."),
    alert: z
      .strictObject({
        metric: z.literal("rate").default("rate").describe("The share of what is labelled."),
        above: z
          .number()
          .min(0)
          .max(1)
          .describe(
            "The version gets an alert if the whole 95 % interval of the share of its rollouts lies above this.",
          ),
        critical: z.number().min(0).max(1).optional().describe("Share above which the alert is critical."),
        evenIfPassed: z
          .boolean()
          .optional()
          .describe(
            "Whether passes with the label are a reason to worry too, because it says how a pass was earned. Otherwise there is no alert if the passes of a version are above the threshold themselves and its failures are not more so.",
          ),
      })
      .optional()
      .describe("When the label becomes a finding about a version."),
    examples: z
      .array(DiagnosticExample)
      .default([])
      .describe("Rollouts, groups or versions that the label must or must not catch."),
  })
  .superRefine((spec, context) => {
    const { over, label } = spec;
    const issue = (path: readonly (string | number)[], message: string): void =>
      context.addIssue({ code: "custom", path: [...path], message });
    for (const { path, message } of sourceMistakes(spec)) issue(path, message);
    if (over !== "rollout") {
      if (label.evidence !== undefined)
        issue(["label", "evidence"], "Only a diagnostic over a rollout can name turns as evidence.");
      if (label.invalidates)
        issue(["label", "invalidates"], "Only a label of a rollout can make a version invalid.");
    } else if (label.critical !== undefined)
      issue(
        ["label", "critical"],
        "This is only for a diagnostic over a group or a version; over a rollout use alert.critical, or severity: critical.",
      );
    if (over !== "version" && label.message !== undefined)
      issue(["label", "message"], "Only a diagnostic over a version can have a message.");
    if (over === "version" && spec.alert !== undefined)
      issue(["alert"], "A diagnostic over a version is already a finding; it cannot have an alert.");
    for (const name of alertParams)
      if (Object.hasOwn(spec.params, name))
        issue(["params", name], `${name} is the name of the alert's threshold; use another one.`);
    for (const [domain, values] of Object.entries(spec.domainParams))
      for (const name of Object.keys(values))
        if (!paramNames(spec).includes(name))
          issue(["domainParams", domain, name], `There is no parameter ${name} under params.`);
    spec.examples.forEach((example, i) => {
      if (example[over] === undefined)
        issue(["examples", i], `An example of a diagnostic over a ${over} has the key ${over}.`);
    });
  });
export type DiagnosticSpec = z.infer<typeof DiagnosticSpec>;

/** The numbers of a diagnostic that may be replaced: its params and the thresholds of its alert. */
export function paramNames(spec: Pick<DiagnosticSpec, "params" | "alert">): string[] {
  return [...Object.keys(spec.params), ...(spec.alert === undefined ? [] : alertParams)];
}
