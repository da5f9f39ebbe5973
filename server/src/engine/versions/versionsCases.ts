import type { NearCase as NearCaseRow } from "../../../../shared/protocol/results/cases.ts";
import { casesOf, editsOf } from "../../memory/cases/case.ts";
import { nearestCases, type NearCase } from "../../memory/cases/nearest.ts";
import { profileOf } from "../../memory/cases/profile.ts";
import { findVersion } from "../../lineage/graph.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { editText } from "../proposals/editText.ts";
import { openDomain } from "../proposals/openDomain.ts";
import { defineService } from "../workspace/service.ts";

/** The decided versions nearest to a version: by its change and its parent's failures, or by its own failures. */
export const versionsCases = defineService("versions.cases", {
  repeatable: true,
  async run({ root }, { version: name, limit }) {
    const { lineage } = await openDomain(root, { readOnly: true });
    const version = versionIn(lineage, name);
    const cases = casesOf(lineage).filter((one) => one.version !== version.name);
    const edits = editsOf(version);
    const parent = version.parent === null ? undefined : findVersion(lineage, version.parent);
    const asksChange = edits.length > 0 && parent !== undefined;
    const near = nearestCases(
      cases,
      asksChange
        ? { change: { factor: version.factor, edits }, profile: profileOf(parent) }
        : { change: null, profile: profileOf(version) },
      limit,
    );
    return {
      version: version.name,
      asks: asksChange ? ("change" as const) : ("failures" as const),
      edits: edits.map(editText),
      total: cases.length,
      cases: near.map(rowOf),
    };
  },
});

function rowOf({ case: one, ...distances }: NearCase): NearCaseRow {
  const { version, parent, factor, triggers, decision, ended, effect } = one;
  return {
    ...{ version, parent, factor, triggers: [...triggers], decision, ended, ...distances },
    edits: one.edits.map(editText),
    effect:
      effect === null
        ? null
        : {
            difference: effect.difference,
            low: effect.low,
            high: effect.high,
            confidence: effect.confidence,
          },
  };
}
