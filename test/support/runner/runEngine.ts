/** Tests run this as a program. An engine that runs one version, to be killed by a test: `runEngine.ts <root> <keeper> <commit>`. */
import { openRepository, statePath } from "../../../server/src/lineage/repository.ts";
import { LocalExecutor } from "../../../server/src/runner/local.ts";
import { runJob } from "../../../server/src/runner/runVersion.ts";
import { testProject } from "./project.ts";

const [, , root = "", keeper = "", commit = ""] = process.argv;
const repository = await openRepository(root);
await runJob({
  repository,
  commit,
  // As the engine of the test that goes on with the run: one job has one spec.
  project: testProject({ confine: "off" }),
  version: "v1",
  seed: 1,
  splits: ["train", "selection"],
  executor: new LocalExecutor({
    runsDirectory: statePath(repository, "runs"),
    keeper,
    pollMilliseconds: 30,
  }),
});
