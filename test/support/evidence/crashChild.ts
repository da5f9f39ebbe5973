import { ingestFile } from "../../../server/src/evidence/ingest/ingest.ts";
import { openStore } from "../../../server/src/evidence/archive/store.ts";

/** Tests run this as a program. For the crash test: reads a file into an archive in small batches until it is killed or done. */
const [path = "", database = "", root = ""] = process.argv.slice(2);
const store = await openStore({ path: database, evidenceRoot: root, threads: 1, memoryLimitMb: 256 });
process.stdout.write("open\n");
await ingestFile(store, { path, kind: "rollouts", version: "v1", run: "run-1", batchRows: 20 });
await store.close();
process.stdout.write("done\n");
