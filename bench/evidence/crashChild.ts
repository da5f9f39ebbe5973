import { ingestFile } from "../../server/src/evidence/ingest/ingest.ts";
import { openStore } from "../../server/src/evidence/archive/store.ts";

/** Follows a growing file into an archive until it is killed; says how far it is after every call. */
async function follow([path = "", database = "", root = ""]: readonly string[]): Promise<void> {
  const store = await openStore({ path: database, evidenceRoot: root, threads: 1, memoryLimitMb: 256 });
  process.stdout.write("0\n");
  for (;;) {
    const report = await ingestFile(store, {
      path,
      kind: "rollouts",
      version: "v1",
      run: "bench",
      batchRows: 40,
    });
    process.stdout.write(`${report.offset}\n`);
  }
}

void follow(process.argv.slice(2));
