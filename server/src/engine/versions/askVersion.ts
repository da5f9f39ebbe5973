import { noVersionNamed } from "../../../../shared/words/refusals.ts";
import type { VersionQuestion } from "../../../../shared/protocol/lsp.ts";
import type { LineageReport } from "../../../../shared/ledger/lineage.ts";
import { HarnessError } from "../../base/errors.ts";
import { annotate } from "./annotate.ts";
import { versionChange, versionFile } from "./versionFiles.ts";

/** Answers what a view asks of a version, from git alone. @throws HarnessError */
export async function askVersion(
  root: string,
  question: VersionQuestion,
  read: (root: string) => Promise<LineageReport>,
): Promise<unknown> {
  switch (question.ask) {
    case "report": {
      const found = (await read(root)).versions.find(({ name }) => name === question.version);
      if (found === undefined) throw new HarnessError("notFound", noVersionNamed(question.version));
      return found;
    }
    case "change":
      return versionChange(root, question.version, question.against);
    case "file":
      return { text: await versionFile(root, question.commit, question.path) };
    case "note":
      await annotate(root, question);
      return {};
  }
}
