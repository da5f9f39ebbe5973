import { noVersionNamed } from "../../../../shared/words/refusals.ts";
import type { Frozen } from "../../../../shared/protocol/services/service.ts";
import type {
  VersionAsk,
  VersionQuestion,
  VersionRequest,
  VersionResult,
} from "../../../../shared/protocol/versionRequests.ts";
import { HarnessError } from "../../base/errors.ts";
import type { LineageOutline } from "../../lineage/lineageOutline.ts";
import { annotate } from "./annotate.ts";
import { versionChange, versionFile } from "./versionFiles.ts";

type ReadOutline = (root: string) => Promise<LineageOutline>;

/** Who answers each request of shared/protocol/versionRequests.ts. */
const answers: {
  readonly [N in VersionRequest]: (
    root: string,
    asked: VersionAsk<N>,
    read: ReadOutline,
  ) => Promise<Frozen<VersionResult<N>>>;
} = {
  report: async (root, { version }, read) => {
    const found = (await read(root)).versions.find(({ name }) => name === version);
    if (found === undefined) throw new HarnessError("notFound", noVersionNamed(version));
    return found.report();
  },
  change: (root, { version, against }) => versionChange(root, version, against),
  file: async (root, { commit, path }) => ({ text: await versionFile(root, commit, path) }),
  note: async (root, asked) => {
    await annotate(root, asked);
    return {};
  },
};

/** Answers what a view asks of a version, from git alone. @throws HarnessError */
export function askVersion(
  root: string,
  question: VersionQuestion,
  read: ReadOutline,
): Promise<Frozen<VersionResult<VersionRequest>>> {
  switch (question.ask) {
    case "report":
      return answers.report(root, question, read);
    case "change":
      return answers.change(root, question, read);
    case "file":
      return answers.file(root, question, read);
    case "note":
      return answers.note(root, question, read);
  }
}
