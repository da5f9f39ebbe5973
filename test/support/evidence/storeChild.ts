import { compactionPoints, compactStore } from "../../../server/src/evidence/store/compact.ts";
import { rebuildStore } from "../../../server/src/evidence/archive/store.ts";

/** Tests run this as a program. For crash tests: `compact` until a point is reached, or `rebuild` until it is killed from outside. */
const [work = "", database = "", root = "", point = ""] = process.argv.slice(2);
const options = { path: database, evidenceRoot: root, threads: 1, memoryLimitMb: 256 };
process.stdout.write("open\n");
if (work === "compact")
  await compactStore(options, {
    reached: (name) => {
      if (name === compactionPoints.find((p) => p === point)) process.kill(process.pid, "SIGKILL");
    },
  });
else await (await rebuildStore(options)).store.close();
process.stdout.write("done\n");
