import { knownElsewhere } from "../../runner/job/outcome.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { executorOf } from "./jobList.ts";
import { definePlainService } from "../workspace/service.ts";
import { assertTrusted } from "../workspace/trusted.ts";

/** Asks a job to end, wherever it runs, and returns at once. @throws HarnessError notFound, hostUnreachable */
export async function cancelJob(root: string, id: string): Promise<void> {
  const local = executorOf(root);
  const remote = await knownElsewhere(local.directoryOf(id));
  if (remote === undefined) return local.cancel(id);
  const { hostExecutor } = await import("../hosts/hostExecutor.ts");
  const { executor, close } = await hostExecutor(await openWorkspace(root), remote.host);
  await executor.cancel(id).finally(close);
}

/** Asks a job to end. It returns at once; the job's state says when it has. */
export const jobsCancel = definePlainService("jobs.cancel", {
  repeatable: true,
  async run(context, { job }) {
    assertTrusted(context, "Cancelling a job");
    await cancelJob(context.root, job);
    return { job };
  },
});
