import { isPatch, isValueEdit, type GivenEdit } from "../../../../shared/spec/edit.ts";
import type { ProjectSpec } from "../../../../shared/spec/project.ts";
import { changedFiles } from "../../lineage/checkouts/changedFiles.ts";
import type { Repository } from "../../lineage/repository.ts";
import { isConfig } from "../../project/configs/configText.ts";
import type { VersionRecord } from "../../lineage/records/versionRecord.ts";
import { editsOf } from "../../proposals/difference/editsOf.ts";
import type { ExamChange } from "../../proposals/exam/examDraft.ts";
import { commitSource } from "../project/commitSource.ts";

/** Programs that train, and what they are built from. Tables, logs and notes are none: they may say how a run ended. */
const program =
  /\.(py|pyx|ipy|r|jl|js|mjs|cjs|ts|tsx|go|rs|c|h|cc|cpp|hpp|cu|cuh|metal|java|kt|rb|lua|scala|swift|diff|patch)$/i;
const outcomes = /result|metric|score|leaderboard|ledger|journal|history|summary/i;

const isOfHarness = (path: string): boolean =>
  program.test(path) || (isConfig(path) && !outcomes.test(path.slice(path.lastIndexOf("/") + 1)));

/** What the programs and settings of an imported version have otherwise than its parent's; nothing where it came without files. */
export async function importedChange(
  repository: Repository,
  spec: ProjectSpec,
  { version, parent }: { readonly version: VersionRecord; readonly parent: VersionRecord },
): Promise<ExamChange> {
  const paths = (await changedFiles(repository, parent.commit, version.commit))
    .map(({ path }) => path)
    .filter(isOfHarness);
  const [from, to] = [commitSource(repository, parent.commit), commitSource(repository, version.commit)];
  const files = await Promise.all(
    paths.map(async (path) => ({
      path,
      before: (await from.read(path)) ?? null,
      after: (await to.read(path)) ?? null,
    })),
  );
  const { edit, factor } = editsOf(spec, files);
  return { edits: edit.filter((one): one is GivenEdit => isPatch(one) || isValueEdit(one)), factor };
}
