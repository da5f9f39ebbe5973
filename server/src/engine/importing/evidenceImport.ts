import { projectOrBare } from "../project/bareProject.ts";
import { HarnessError } from "../../base/errors.ts";
import { mappingEnding } from "../../evidence/mapping/mapped.ts";
import { formatNames, isFormat } from "../../evidence/adapters/registry.ts";
import { lineageFormats } from "../../lineage/adapters/detect.ts";
import { contractFormat, importEvidence } from "./importEvidence.ts";
import { importLineagesOf, isLineageFormat } from "./importLineage.ts";
import { defineService } from "../workspace/service.ts";

/** All that `--as` takes. */
const knownFormats = [
  ...new Set([contractFormat, ...formatNames, ...lineageFormats]),
  `or a mapping (*${mappingEnding})`,
].join(", ");

/** Brings files of any known format into the archive. Doing it again changes nothing. */
export const evidenceImport = defineService("evidence.import", {
  repeatable: true,
  async run({ store, root }, params, { signal, progress }) {
    const { as } = params;
    if (
      as !== undefined &&
      !isFormat(as) &&
      !isLineageFormat(as) &&
      as !== contractFormat &&
      !as.endsWith(mappingEnding)
    )
      throw new HarnessError("badInput", `There is no format ${as}; there are: ${knownFormats}.`);
    const project = await projectOrBare(root);
    const { domain, ...request } = params;
    const lineages = await importLineagesOf(root, { paths: request.paths, as: request.as, domain });
    const onlyLineage = request.as !== undefined && isLineageFormat(request.as) && !isFormat(request.as);
    const report = await importEvidence(
      store,
      { ...request, paths: onlyLineage ? [] : request.paths, claimed: lineages.claimed },
      {
        diagnostics: project.diagnostics.map((d) => d.spec),
        domain: project.domain,
        signal,
        onProgress: (message) => progress({ message }),
      },
    );
    // What cannot be read, both come across.
    const told = new Set(report.refused.map(({ path }) => path));
    const others = lineages.refused.filter(({ path }) => !told.has(path));
    return {
      ...report,
      files: { ...report.files, refused: report.files.refused + others.length },
      refused: [...report.refused, ...others],
      lineages: lineages.reports,
    };
  },
});
