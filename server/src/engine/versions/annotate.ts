import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import type { NoteKind } from "../../../../shared/model/noteKinds.ts";
import { HarnessError } from "../../base/errors.ts";
import { meantVersion } from "../../base/meantVersion.ts";
import { buildLineage } from "../../lineage/graph.ts";
import { openLedger } from "../../lineage/ledger.ts";
import { openRepository } from "../../lineage/repository.ts";
import { sharedLedger } from "../../lineage/sharedLedger.ts";
import { loadProjectSpec } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";

/** What somebody says of a version: a text, a tag put on or taken off, a name beside its own (empty takes it away), or a hint. */
export interface Annotation {
  readonly version: string;
  readonly what: NoteKind;
  readonly value: string;
}

const longestTag = 100;
const longestHint = 2000;

/**
 * Writes a note, a tag, a name or a hint of a version into the ledger, where it stays: what is said later stands beside it.
 * Answers with the version's whole name. @throws HarnessError notFound for a version that is not there, badInput, and those of the ledger
 */
export async function annotate(root: string, { version: asked, what, value }: Annotation): Promise<string> {
  const { domain } = await loadProjectSpec(workTree(root));
  const repository = await openRepository(root);
  const { versions } = buildLineage((await sharedLedger(repository).read()).entries, domain);
  const version = meantVersion(
    asked,
    versions.map(({ name }) => name),
  );
  const said = value.trim();
  if (said === "" && what !== "name")
    throw new HarnessError("badInput", `Say what to note about ${version}: the text is empty.`);
  if (what === "hint" && said.length > longestHint)
    throw new HarnessError("badInput", `A hint has at most ${longestHint} characters.`);
  if (what !== "text" && what !== "hint" && (said.length > longestTag || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(said)))
    throw new HarnessError(
      "badInput",
      `A ${what === "name" ? "name" : "tag"} is one line of at most ${longestTag} characters; write a note for more.`,
    );
  await openLedger(repository).append([
    {
      id: `note-${randomUUID()}`,
      at: new Date().toISOString(),
      domain,
      type: "note",
      version,
      what,
      value: said,
      by: userInfo().username,
    },
  ]);
  return version;
}
