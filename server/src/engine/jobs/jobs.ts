import { z } from "zod";
import { cancelJob } from "./cancelJob.ts";
import { jobDetail } from "./jobDetail.ts";
import { pageOfJobs } from "./jobList.ts";
import { logStreams, readJobLog } from "./jobLog.ts";
import { startRerun } from "./startRerun.ts";
import { definePlainService } from "../workspace/service.ts";
import { assertTrusted } from "../workspace/trusted.ts";

/** Jobs of the project, those that are not over first: state, host, step, reward, time left, cost, why they failed. */
export const jobsList = definePlainService({
  name: "jobs.list",
  repeatable: true,
  params: z.object({
    limit: z.int().min(1).max(1000).default(200),
    cursor: z
      .string()
      .regex(/^\d{1,9}$/)
      .exactOptional(),
  }),
  run: ({ root }, params) => pageOfJobs(root, params),
});

/** One job with the curve of its reward and its last lines. */
export const jobsShow = definePlainService({
  name: "jobs.show",
  repeatable: true,
  params: z.object({ job: z.string(), lines: z.int().min(0).max(200).default(12) }),
  run: ({ root }, { job, lines }) => jobDetail(root, job, lines),
});

/** A piece of what a job printed, from a byte on or from its end. */
export const jobsLog = definePlainService({
  name: "jobs.log",
  repeatable: true,
  params: z.object({
    job: z.string(),
    stream: z.enum(logStreams),
    offset: z.int().nonnegative().exactOptional(),
    limit: z
      .int()
      .min(1024)
      .max(1024 ** 2)
      .default(65_536),
  }),
  run: ({ root }, query) => readJobLog(root, query),
});

/** Asks a job to end. It returns at once; the job's state says when it has. */
export const jobsCancel = definePlainService({
  name: "jobs.cancel",
  repeatable: true,
  params: z.object({ job: z.string() }),
  async run(context, { job }) {
    assertTrusted(context, "Cancelling a job");
    await cancelJob(context.root, job);
    return { job };
  },
});

/** Runs a job that did not finish once more, under a new name, in a process of its own. */
export const jobsRerun = definePlainService({
  name: "jobs.rerun",
  repeatable: false,
  params: z.object({ job: z.string() }),
  async run(context, { job }, { signal }) {
    assertTrusted(context, "Running a job again");
    return { job: await startRerun(context.root, job, { signal }) };
  },
});
