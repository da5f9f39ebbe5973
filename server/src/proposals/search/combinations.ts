import type { Factor } from "../../../../shared/spec/common.ts";
import type { InterventionSpec } from "../../../../shared/spec/intervention.ts";
import type { GivenEdit } from "../../../../shared/spec/edit.ts";
import { normalQuantile } from "../../../../shared/model/normalQuantile.ts";
import { pointsWithin } from "../../../../shared/words/numbers.ts";
import { shortName } from "../../../../shared/words/shortName.ts";
import { screenChance } from "../../decision/testing/screen.ts";
import { caseEdits, partsOf, type Case, type CaseEdit, type CasePart } from "../../memory/cases/case.ts";
import type { CandidateIdea, Joined } from "./candidateIdea.ts";

/** How many versions others are joined with, the most promising ones. */
const mostLeads = 2;
/** How many changes a version makes at once at most: of more, nobody could tell afterwards which one it was. */
const mostParts = 3;
/** How many ideas each of these versions is joined with, the best ones. */
const mostPartners = 24;
const namesReach = 40;

type Measured = Case & { readonly effect: NonNullable<Case["effect"]> };

/**
 * Tried changes of a version that looked better, as the screen sees it, but not clearly: the largest gain for its error first.
 * One change often does nothing before another one is made, and what two changes do together is easier to tell from noise.
 */
export function leadsOf(cases: readonly Case[], version: string): Measured[] {
  const least = normalQuantile(1 - screenChance);
  const certainty = ({ effect }: Measured): number => effect.difference / effect.error;
  return cases
    .filter((one): one is Measured => one.effect !== null)
    .filter(
      (one) =>
        one.parent === version &&
        one.ended === "noise" &&
        one.edits.length > 0 &&
        partsOf(one).length < mostParts &&
        certainty(one) >= least,
    )
    .sort((a, b) => certainty(b) - certainty(a))
    .slice(0, mostLeads);
}

/** Each lead together with each idea that changes other values, the best ideas first. Pure. */
export function fromCombinations(
  leads: readonly Measured[],
  ideas: readonly CandidateIdea[],
): CandidateIdea[] {
  return leads.flatMap((lead) =>
    ideas
      .filter(({ spec, joins }) => joins === undefined && areApart(lead.edits, caseEdits(spec.edit)))
      .slice(0, mostPartners)
      .map((idea) => joined(lead, idea)),
  );
}

/** What a combination changes: the parts of the version that it is joined with, and its own. */
export function ideaParts({
  spec,
  joins,
}: {
  readonly spec: Pick<InterventionSpec, "name" | "factor" | "edit">;
  readonly joins?: Joined;
}): CasePart[] {
  const { factor, name: template, edit } = spec;
  if (joins === undefined) return [{ factor, template, edits: caseEdits(edit) }];
  const before = joins.parts.reduce((sum, { edits }) => sum + edits.length, 0);
  return [...joins.parts, { factor, template, edits: caseEdits(edit.slice(before)) }];
}

function joined(lead: Measured, idea: CandidateIdea): CandidateIdea {
  const { spec } = idea;
  const { difference, low, high } = lead.effect;
  const { because } = spec.hypothesis;
  const seen = `${lead.version} looked better than ${lead.parent} by ${pointsWithin(difference, low, high)}, but not clearly.`;
  const own = idea.origin === "move" ? because : `${because.charAt(0).toUpperCase()}${because.slice(1)}`;
  return {
    ...idea,
    origin: "combination",
    spec: {
      ...spec,
      name: `${spec.name.slice(0, namesReach)}-with-${shortName(lead.version)}`,
      hypothesis: { ...spec.hypothesis, because: `${seen} ${own}` },
      targets: [...new Set([...spec.targets, ...lead.triggers])],
      edit: [...lead.edits.map(given), ...spec.edit],
    },
    joins: {
      version: lead.version,
      parts: partsOf(lead),
      factors: factorsOf([...partsOf(lead), { factor: spec.factor }]),
    },
  };
}

const factorsOf = (parts: readonly { readonly factor: Factor | null }[]): Factor[] => [
  ...new Set(parts.flatMap(({ factor }) => factor ?? [])),
];

/** Whether no value is changed by both. Lines may overlap: that is found out when the draft is made. */
const areApart = (a: readonly CaseEdit[], b: readonly CaseEdit[]): boolean =>
  a.every((one) =>
    b.every(
      (other) =>
        one.type === "patch" ||
        other.type === "patch" ||
        one.file !== other.file ||
        !isWithin(one.path, other.path),
    ),
  );

const isWithin = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`) || b.startsWith(`${a}.`);

function given(edit: CaseEdit): GivenEdit {
  if (edit.type === "patch") return { patch: edit.patch };
  const { file, path, from, to } = edit;
  return { file, path, from, to };
}
