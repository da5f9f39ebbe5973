import { isPatch, placedEdits, type Edit } from "../../../../shared/spec/edit.ts";
import { z } from "zod";
import { isBookkeeping } from "../../project/bookkeeping.ts";
import { factorsHere, isFrozen, valueSurfaces } from "../../project/surfaces.ts";
import { splitIntervention } from "../project/splitIntervention.ts";
import { interventionIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { locate, spanFor } from "../syntax/parseSpec.ts";
import { listed } from "../../base/similar.ts";

const Data = z.object({
  /** The factor that the edits really change, when it is one. */
  factor: z.string().nullable(),
  /** Otherwise the parts into which the intervention falls, when all of it is on some surface. */
  parts: z.array(z.object({ factor: z.string(), edits: z.array(z.int()) })),
});
type Parts = z.infer<typeof Data>["parts"];

export const oneFactor = defineRule({
  meta: {
    id: "one-factor",
    severity: "error",
    kinds: ["intervention"],
    docs: "An intervention changes values of exactly one factor, inside the surfaces that the project declares. Bookkeeping on a surface, such as names, paths and save intervals, may change with any factor.",
    example: {
      wrong: `factor: reward
edit:
  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }
  - { file: harness/train.yaml, path: sampling.temperature, from: 1, to: 1.2 }`,
      right: `factor: reward
edit:
  - { file: harness/main.reward.yaml, path: components.correctness.shape, from: flat, to: binary }`,
    },
  },
  data: Data,
  *check({ spec, project }) {
    const intervention = interventionIn(spec);
    const declared = project?.spec;
    if (!intervention || !declared) return;
    const { factor } = intervention;
    const places = placesOf(intervention.edit);
    const factorsOf = places.map((place) => factorsHere(declared, place));
    const counted = factorsOf.filter((_, i) => !isBookkeeping(places[i]?.path ?? ""));
    const [first = [], ...rest] = counted;
    const common = first.filter((f) => rest.every((factors) => factors.includes(f)));
    const isOne = common.length === 1;
    const ignored = places.map(({ path }) => path).filter(isBookkeeping);
    const data = {
      factor: isOne ? (common[0] ?? null) : null,
      parts: isOne || isUnplaced(intervention.edit, factorsOf) ? [] : partsOf(factor, factorsOf),
    };
    for (const [n, { edit: i, file, path }] of places.entries()) {
      const factors = factorsOf[n] ?? [];
      if (factors.includes(factor) || (factors.length > 0 && isBookkeeping(path))) continue;
      // What is frozen is on no surface either, and is told by a rule of its own.
      if (factors.length === 0 && isFrozen(declared, { file, path })) continue;
      const knownFile = valueSurfaces(declared).some((surface) => surface.file === file);
      yield {
        span: spanFor(spec, ["edit", i, knownFile ? "path" : "file"]),
        message:
          factors.length > 0
            ? `${path} of ${file} belongs to the factor ${listed(factors.map((f) => `"${f}"`))}, but this intervention changes "${factor}".${ignored.length > 0 ? ` Bookkeeping does not count: ${listed(ignored, "and")}.` : ""}`
            : `No surface of evotrainer.yaml covers ${path} of ${file}; an intervention may change declared surfaces only.`,
        data: factors.length > 0 ? data : { factor: null, parts: [] },
      };
    }
  },
  fix({ spec, path }, { factor, parts }) {
    const span = locate(spec, ["factor"]).value;
    if (factor !== null)
      return span ? [{ title: `Change the factor to "${factor}"`, edits: [{ span, text: factor }] }] : [];
    const name = interventionIn(spec)?.name;
    const split =
      parts.length > 1 && path !== undefined && name !== undefined
        ? splitIntervention(spec, { path, name }, parts)
        : undefined;
    if (!split) return [];
    return [
      {
        title: `Split into ${parts.length} interventions, one per factor`,
        edits: split.edits,
        creates: split.creates,
      },
    ];
  },
});

/** Whether some edit cannot go with a factor: its value is on no surface, or it is a patch, which is split by hand. */
const isUnplaced = (edits: readonly Edit[], factorsOf: readonly (readonly string[])[]): boolean =>
  edits.some(isPatch) || factorsOf.some((factors) => factors.length === 0);

/** The values that an intervention changes, each with its edit's place in the list; patches have a rule of their own. */
const placesOf = (edits: readonly Edit[]) =>
  placedEdits(edits).map(([edit, { file, path }]) => ({ edit, file, path }));

/** The edits by factor, those of the declared factor first; what counts for no factor stays with those. */
function partsOf(declared: string, factorsOf: readonly (readonly string[])[]): Parts {
  const parts = new Map<string, number[]>([[declared, []]]);
  for (const [i, factors] of factorsOf.entries()) {
    const factor = factors.find((f) => parts.has(f)) ?? factors[0] ?? declared;
    parts.set(factor, [...(parts.get(factor) ?? []), i]);
  }
  return [...parts].filter(([, edits]) => edits.length > 0).map(([factor, edits]) => ({ factor, edits }));
}
