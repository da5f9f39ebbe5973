import { openStore } from "../../../server/src/evidence/archive/store.ts";
import { importPaths } from "./import.ts";

/** Tests run this as a program. For the crash test: imports a folder until it is killed or done. */
const [path = "", database = "", root = ""] = process.argv.slice(2);
const store = await openStore({ path: database, evidenceRoot: root, threads: 1, memoryLimitMb: 256 });
process.stdout.write("open\n");
await importPaths(store, [path]);
await store.close();
process.stdout.write("done\n");
