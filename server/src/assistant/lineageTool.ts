import { z } from "zod";
import type { VersionReport } from "../../../shared/ledger/lineage.ts";
import { labelsFound } from "../../../shared/model/labelShare.ts";
import { noVersionNamed } from "../../../shared/words/refusals.ts";
import { HarnessError } from "../base/errors.ts";
import { meantVersion } from "../base/meantVersion.ts";
import { changedEvidence } from "../engine/jobs/changedEvidence.ts";
import { readLineageOutline } from "../engine/versions/lineageReport.ts";
import { openRepository } from "../lineage/repository.ts";
import { sharedLedger } from "../lineage/sharedLedger.ts";
import { common, defineTool, placeOf } from "./tool.ts";

/** Versions at once, before the room in the answer decides. */
const pageRows = 100;

export const lineageTool = defineTool({
  name: "evotrainer_lineage",
  title: "Lineage of versions",
  description:
    "Lists the versions of an EvoTrainer project, parents first. Each has its decision (keep, reject, invalid, pending …) and the reason, its score on the selection split with the 95 % interval, the one factor that changed and the hypothesis. With version: everything about that version, with its labels and how right they are by the answers of people, comparison with the parent and evidence. Rejected and invalid versions stay in the list. Start here.",
  writes: false,
  quotes: false,
  input: z.object({
    version: common.version.exactOptional(),
    decision: z
      .string()
      .exactOptional()
      .describe("Only versions with this decision, e.g. keep, reject or pending."),
    cursor: common.cursor,
  }),
  async run({ root, ask }, { version, decision, cursor }) {
    const { project, domain, versions, notices = [] } = await readLineageOutline(root);
    const noticed = notices.length === 0 ? {} : { notices };
    if (version !== undefined) {
      const meant = meantVersion(
        version,
        versions.map(({ name }) => name),
      );
      const found = versions.find(({ name }) => name === meant);
      if (found === undefined) throw new HarnessError("notFound", noVersionNamed(version));
      const changed = await changesIn(root);
      const report = found.report();
      const labels = labelsFound(report.labels).map((label) => label.name);
      const { people } = labels.length === 0 ? { people: [] } : await ask("rollouts.people", { labels });
      const said = people.length === 0 ? {} : { people };
      return { facts: { project, domain, ...noticed, version: open(report), ...said, ...changed } };
    }
    const wanted =
      decision === undefined ? versions : versions.filter((v) => v.report().decision === decision);
    const offset = placeOf(cursor);
    const items = wanted.slice(offset, offset + pageRows).map((v) => brief(v.report()));
    return {
      facts: { project, domain, ...noticed, versions: wanted.length, ...(await changesIn(root)) },
      rows: { items, offset, more: offset + items.length < wanted.length },
    };
  },
});

/** What became of evidence after its job had ended, where something did. */
async function changesIn(root: string): Promise<{ changedEvidence?: string[] }> {
  const changed = await changedEvidence(root, sharedLedger(await openRepository(root, { readOnly: true })));
  return changed.length === 0 ? {} : { changedEvidence: changed };
}

/** The audit of a version is sealed until it is promoted. */
const open = (v: VersionReport): VersionReport => (v.promoted ? v : { ...v, audit: null });

const brief = (v: VersionReport): Partial<VersionReport> => ({
  name: v.name,
  parent: v.parent,
  generation: v.generation,
  decision: v.decision,
  reason: v.reason,
  score: v.score,
  low: v.low,
  high: v.high,
  factor: v.factor,
  intervention: v.intervention,
  title: v.title,
  hypothesis: v.hypothesis,
  ...(v.stage === undefined || v.stage === null ? {} : { stage: v.stage }),
  promoted: v.promoted,
});
