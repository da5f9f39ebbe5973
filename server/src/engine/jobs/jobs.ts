import { cancelJob } from "../jobs/cancelJob.ts";
import { jobDetail } from "../jobs/jobDetail.ts";
import { pageOfJobs } from "../jobs/jobList.ts";
import { readJobLog } from "../jobs/jobLog.ts";
import { startRerun } from "../jobs/startRerun.ts";
import { definePlainService } from "../workspace/service.ts";
import { assertTrusted } from "../workspace/trusted.ts";

/** Jobs of the project, those that are not over first: state, host, step, reward, time left, cost, why they failed. */
export const jobsList = definePlainService("jobs.list", {
  repeatable: true,
  run: ({ root }, params) => pageOfJobs(root, params),
});

/** One job with the curve of its reward and its last lines. */
export const jobsShow = definePlainService("jobs.show", {
  repeatable: true,
  run: ({ root }, { job, lines }) => jobDetail(root, job, lines),
});

/** A piece of what a job printed, from a byte on or from its end. */
export const jobsLog = definePlainService("jobs.log", {
  repeatable: true,
  run: ({ root }, query) => readJobLog(root, query),
});

/** Asks a job to end. It returns at once; the job's state says when it has. */
export const jobsCancel = definePlainService("jobs.cancel", {
  repeatable: true,
  async run(context, { job }) {
    assertTrusted(context, "Cancelling a job");
    await cancelJob(context.root, job);
    return { job };
  },
});

/** Runs a job that did not finish once more, under a new name, in a process of its own. */
export const jobsRerun = definePlainService("jobs.rerun", {
  repeatable: false,
  async run(context, { job }, { signal }) {
    assertTrusted(context, "Running a job again");
    return { job: await startRerun(context.root, job, { signal }) };
  },
});
