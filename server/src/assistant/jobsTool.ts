import { z } from "zod";
import { askPlain } from "../engine/services/plainServices.ts";
import { findMeantJob } from "../engine/jobs/meantJob.ts";
import { common, defineTool, placeOf } from "./tool.ts";

/** What a job prints and reports that measures the sealed split tells what is in it. */
const isSealed = (job: string): boolean => job.split(".").includes("audit");

export const jobsTool = defineTool({
  name: "evotrainer_jobs",
  title: "List jobs, or show one",
  description:
    "Lists the training and evaluation jobs of the project, unfinished ones first. Each has its state, host, step, reward, time left and cost; a failed one also says why it failed and what to do. With a job's id: only that job, with its reward curve and the last lines that it printed.",
  writes: false,
  quotes: true,
  input: z.object({
    job: z.string().min(1).exactOptional().describe("The id of a job, from the list."),
    lines: z.int().min(0).max(200).default(20).describe("With job: how many of its last lines to show."),
    cursor: common.cursor,
  }),
  // No archive is needed for these, and none is opened.
  async run({ root }, { job: asked, lines, cursor }) {
    const context = { root, trusted: false };
    if (asked !== undefined) {
      // Before it is seen whether it is sealed: a short name hides what the job measures.
      const job = await findMeantJob(root, asked);
      const shown = await askPlain(context, "jobs.show", { job, lines: isSealed(job) ? 0 : lines });
      return { facts: isSealed(job) ? { ...shown, reward: null, curve: [] } : { ...shown } };
    }
    const { jobs, ...facts } = await askPlain(context, "jobs.list", { limit: 1000 });
    const offset = placeOf(cursor);
    return {
      facts: { ...facts, total: jobs.length },
      rows: {
        items: jobs.slice(offset).map((row) => (isSealed(row.id) ? { ...row, reward: null } : row)),
        ...{ offset, more: false },
      },
    };
  },
});
