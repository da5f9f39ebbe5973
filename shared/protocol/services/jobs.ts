import * as z from "zod";
import { JobDetail, JobsPage, LogPiece, logStreams } from "../views/job.ts";
import { mostRuns, RunsShown } from "../views/runs.ts";
import { service } from "./service.ts";

const job = () => z.object({ job: z.string() });

export const jobs = {
  "jobs.list": service({
    says: "Jobs of the project, those that are not over first: state, host, step, reward, time left, cost, why they failed.",
    editor: true,
    params: () =>
      z.object({
        limit: z.int().min(1).max(1000).default(200),
        cursor: z
          .string()
          .regex(/^\d{1,9}$/)
          .exactOptional(),
      }),
    result: () => JobsPage,
  }),
  "jobs.show": service({
    says: "One job with the curve of its reward and its last lines.",
    editor: true,
    params: () => z.object({ job: z.string(), lines: z.int().min(0).max(200).default(12) }),
    result: () => JobDetail,
  }),
  "jobs.curves": service({
    says: "The curves of the training jobs that run and of their parents, and of the jobs that are named, with the alarms that have fired on them. It reads the folders of runs only.",
    editor: true,
    params: () =>
      z.object({
        jobs: z.array(z.string()).max(mostRuns).default([]),
        points: z.int().min(10).max(2000).default(200),
      }),
    result: () => RunsShown,
  }),
  "jobs.log": service({
    says: "A piece of what a job printed, beginning at a byte, or its end.",
    editor: true,
    params: () =>
      z.object({
        job: z.string(),
        stream: z.enum(logStreams),
        offset: z.int().nonnegative().exactOptional(),
        limit: z
          .int()
          .min(1024)
          .max(1024 ** 2)
          .default(65_536),
      }),
    result: () => LogPiece,
  }),
  "jobs.cancel": service({
    says: "Asks a job to end. It returns at once; the job's state says when it has ended.",
    editor: true,
    params: job,
    result: job,
  }),
  "jobs.rerun": service({
    says: "Runs a job that did not finish once more, under a new name, in another process.",
    editor: true,
    params: job,
    result: job,
  }),
};
