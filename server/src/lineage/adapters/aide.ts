import { basename, dirname } from "node:path";
import type { Direction, ForeignLineage } from "./foreign.ts";
import { journalNode, readJournal, type Journal } from "./journalNodes.ts";
import type { ListedFile } from "./listing.ts";
import { finite, isRecord } from "./readSource.ts";

/** Whether the head of a file is that of a journal, as it is or as JSON inside a JSON text. */
export function isJournal(name: string, head: string): boolean {
  if (!/journal[^/]*\.json$/i.test(name)) return false;
  const plain = head.replaceAll('\\"', '"');
  return plain.includes('"nodes"') && plain.includes('"code"') && plain.includes('"plan"');
}

/** A journal of AIDE: the search tree of one run. */
export async function readAide(file: ListedFile): Promise<ForeignLineage> {
  return lineageOfJournal(nameOf(file), await readJournal(file));
}

function nameOf({ path }: ListedFile): string {
  const stem = basename(path).replace(/\.json$/i, "");
  return stem === "journal" ? basename(dirname(path)) : stem.replace(/[_-]*journal$/i, "");
}

/** Pure. */
export function lineageOfJournal(name: string, journal: Journal): ForeignLineage {
  const nodes = journal.nodes.map((fields) => {
    const id = String(fields["id"]);
    return journalNode(fields, {
      file: journal.file,
      parent: journal.parentOf.get(id),
      label: `s${finite(fields["step"]) ?? "x"}-${id.slice(0, 6)}`,
      codeFile: "solution.py",
    });
  });
  const directions = new Set(
    journal.nodes.flatMap(({ metric }) =>
      isRecord(metric) && typeof metric["maximize"] === "boolean" ? [metric["maximize"]] : [],
    ),
  );
  const direction: Direction | null =
    directions.size === 1 ? (directions.has(true) ? "higher" : "lower") : null;
  const names = [...new Set(nodes.flatMap((n) => Object.keys(n.metrics)))];
  return {
    name,
    format: "aide",
    nodes,
    metrics: Object.fromEntries(names.map((m) => [m, { direction, unit: null }])),
    problems: journal.problems,
    missing: [
      {
        field: "decision",
        reason: "AIDE keeps every node that runs as a candidate and rejects only buggy ones",
      },
    ],
    notes: [],
    gaps: {},
    repository: null,
  };
}
