import { open } from "node:fs/promises";

const magic = "SQLite format 3\0";

/** Whether a file is the database of ShinkaEvolve: SQLite, with its table of programs. */
export async function isShinka(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const head = Buffer.alloc(1_048_576);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    const text = head.toString("latin1", 0, bytesRead);
    return (
      text.startsWith(magic) &&
      /CREATE TABLE programs \(/i.test(text) &&
      text.includes("archive_inspiration_ids")
    );
  } finally {
    await file.close();
  }
}

/** Why it is not read, and what to do. */
export function shinkaRefusal(name: string): string {
  return (
    `${name} is a SQLite database of ShinkaEvolve, which EvoTrainer cannot read; export its programs as JSON with ` +
    `sqlite3 -json ${JSON.stringify(name)} "select * from programs" > programs.json, and import that with a mapping ` +
    `(kind: Lineage) that names id, parent_id, combined_score, correct and timestamp.`
  );
}
