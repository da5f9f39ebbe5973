import type { LineagePage, LineageVersion } from "../../../shared/protocol/views/lineage.ts";
import { LineageTable, pageOf } from "../../../shared/protocol/views/lineageTable.ts";

/** For tests: a version with only a name. */
export const testVersion = (name: string, more: Partial<LineageVersion> = {}): LineageVersion => ({
  name,
  parent: null,
  generation: 0,
  factor: null,
  author: null,
  title: "",
  score: null,
  low: null,
  high: null,
  cleanScore: null,
  audit: null,
  measured: "",
  decision: "keep",
  reason: "",
  labels: [],
  promoted: false,
  alias: null,
  tags: [],
  notes: [],
  at: "2026-01-01T00:00:00.000Z",
  ...more,
});

/** Versions as one page, parents before their children; `only` names those to send, and all are sent without it. */
export function testPage(
  versions: readonly LineageVersion[],
  { only, ...more }: Partial<LineagePage> & { readonly only?: readonly string[] } = {},
): LineagePage {
  const sent = only === undefined ? undefined : new Set(only);
  const places = new Map(versions.map(({ name }, i) => [name, i]));
  const rows = versions.flatMap((version, index) =>
    sent !== undefined && !sent.has(version.name)
      ? []
      : [{ index, parent: version.parent === null ? -1 : (places.get(version.parent) ?? -1), version }],
  );
  const head = versions.findLastIndex(({ decision }) => ["keep", "merge", "base"].includes(decision));
  const about = {
    project: "p",
    domain: "swe",
    epoch: "1",
    revision: 1,
    rest: 0,
    total: versions.length,
    head,
  };
  return { ...pageOf(about, rows.reverse()), ...more };
}

export function testTable(versions: readonly LineageVersion[]): LineageTable {
  const table = new LineageTable();
  table.apply(testPage(versions));
  return table;
}
