import { z } from "zod";
import { askPlain } from "../engine/services/plainServices.ts";
import { common, defineTool, placeOf } from "./tool.ts";

export const jobsTool = defineTool({
  name: "evotrainer_jobs",
  title: "List jobs, or show one",
  description:
    "Training and evaluation jobs of the project, those that are not over first: state, host, step, reward, time left, cost, and why they failed with what to do. With a job's id: that job with the curve of its reward and the last lines that it printed.",
  writes: false,
  quotes: true,
  input: z.object({
    job: z.string().min(1).exactOptional().describe("The id of a job, from the list."),
    lines: z.int().min(0).max(200).default(20).describe("How many of the job's last lines to show."),
    cursor: common.cursor,
  }),
  // No archive is needed for these, and none is opened.
  async run({ root }, { job, lines, cursor }) {
    const context = { root, trusted: false };
    if (job !== undefined) return { facts: { ...(await askPlain(context, "jobs.show", { job, lines })) } };
    const { jobs, ...facts } = await askPlain(context, "jobs.list", { limit: 1000 });
    const offset = placeOf(cursor);
    return {
      facts: { ...facts, total: jobs.length },
      rows: { items: jobs.slice(offset), offset, more: false },
    };
  },
});
