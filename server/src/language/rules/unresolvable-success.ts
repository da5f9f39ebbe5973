import { z } from "zod";
import { count, counted, percent, setPercent } from "../../../../shared/words/numbers.ts";
import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import { detectableEffect, itemsForEffect } from "../../statistics/comparison/power.ts";
import { interventionIn } from "../syntax/typedSpec.ts";
import { defineRule } from "../rule/rule.ts";
import { locate, spanFor } from "../syntax/parseSpec.ts";

const Data = z.object({ atLeast: z.number().nullable() });

/** How sure a comparison should be to find what it looks for. */
const power = 0.8;

export const unresolvableSuccess = defineRule({
  meta: {
    id: "unresolvable-success",
    severity: "warning",
    kinds: ["intervention"],
    archive: "all",
    docs: "The selection split has enough items to tell a success criterion from noise. The check is lenient: it assumes that every change is an improvement, and the smallest spread that the samples allow.",
    example: {
      wrong: `success: { atLeast: 0.01 } # 77 items, one sample each`,
      right: `success: { atLeast: 0.1 } # 77 items, one sample each`,
    },
  },
  data: Data,
  *check({ spec, project }) {
    const intervention = interventionIn(spec);
    const version = project?.facts && largest(project.facts);
    if (!intervention || !version) return;
    const { atLeast, confidence } = intervention.success;
    const span = spanFor(spec, ["success", "atLeast"]);
    if (version.passRate !== null && version.passRate + atLeast > 1) {
      yield {
        span,
        message: `The solve rate of ${version.name} is ${percent(version.passRate)}, which cannot rise by ${setPercent(atLeast)}.`,
        data: { atLeast: null },
      };
      return;
    }
    const samples = Math.max(1, Math.round(version.rollouts / version.items));
    const sd = leastSpread(atLeast, samples);
    if (!(sd > 0)) return;
    const options = { confidence, power };
    const needed = itemsForEffect({ effect: atLeast, sd }, options);
    if (needed.type !== "known" || needed.items <= version.items) return;
    const found = smallest(version.items, samples, options);
    yield {
      span,
      message: `To tell a change of ${setPercent(atLeast)} from noise takes at least ${count(needed.items)} items with ${counted(samples, "sample")} each; ${version.name} has ${version.items}${found === undefined ? "" : `, which can tell ${setPercent(found)} at best`}.`,
      data: { atLeast: found ?? null },
    };
  },
  fix({ spec }, { atLeast }) {
    const span = locate(spec, ["success", "atLeast"]).value;
    return span && atLeast !== null
      ? [{ title: `Ask for at least ${setPercent(atLeast)}`, edits: [{ span, text: String(atLeast) }] }]
      : [];
  },
});

/** The version that was measured on the most items: nothing later should need more of them. */
function largest({ versions }: ArchiveFacts): ArchiveFacts["versions"][number] | undefined {
  return versions
    .filter(({ items }) => items > 0)
    .reduce<ArchiveFacts["versions"][number] | undefined>(
      (best, version) => (best === undefined || version.items >= best.items ? version : best),
      undefined,
    );
}

/**
 * The least standard deviation that item differences with this mean can have: a difference is a multiple of 1/samples,
 * so that at best a share of the items is better by one sample and no item is worse.
 */
function leastSpread(effect: number, samples: number): number {
  const step = 1 / samples;
  const rest = effect % step;
  return Math.sqrt(rest * (step - rest));
}

/** The smallest change, to a tenth of a point, that so many items tell from noise; undefined when none is. */
function smallest(
  items: number,
  samples: number,
  options: { readonly confidence: number; readonly power: number },
): number | undefined {
  for (let thousandths = 1; thousandths <= 1000; thousandths++) {
    const effect = thousandths / 1000;
    const told = detectableEffect({ sd: leastSpread(effect, samples), n: items }, options);
    if (told.type === "known" && told.effect <= effect) return effect;
  }
  return undefined;
}
