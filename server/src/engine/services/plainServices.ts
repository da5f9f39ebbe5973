import type { AllServices } from "../../../../shared/protocol/services.ts";
import { runService, type PlainContext, type PlainService, type ServiceCall } from "../workspace/service.ts";

/**
 * Services that need no archive, and so never wait for who has it: those that `definePlainService` defines. They are listed in
 * `services.ts` with the others.
 */
const plain = {
  // services: written by npm run protocol
  "diagnostics.list": async () => (await import("../specs/specs.ts")).diagnosticsList,
  "evolution.status": async () => (await import("../evolution/evolution.ts")).evolutionStatusService,
  "evolution.events": async () => (await import("../evolution/evolution.ts")).evolutionEvents,
  "evolution.start": async () => (await import("../evolution/evolution.ts")).evolutionStart,
  "evolution.continue": async () => (await import("../evolution/evolution.ts")).evolutionContinue,
  "evolution.stop": async () => (await import("../evolution/evolution.ts")).evolutionStop,
  "hosts.list": async () => (await import("../hosts/hosts.ts")).hostsList,
  "hosts.candidates": async () => (await import("../hosts/hosts.ts")).hostsCandidates,
  "hosts.entry": async () => (await import("../hosts/hosts.ts")).hostsEntry,
  "hosts.check": async () => (await import("../hosts/hosts.ts")).hostsCheck,
  "jobs.list": async () => (await import("../jobs/jobList.ts")).jobsList,
  "jobs.show": async () => (await import("../jobs/jobDetail.ts")).jobsShow,
  "jobs.curves": async () => (await import("../curves/jobsCurves.ts")).jobsCurves,
  "jobs.log": async () => (await import("../jobs/jobLog.ts")).jobsLog,
  "jobs.cancel": async () => (await import("../jobs/cancelJob.ts")).jobsCancel,
  "jobs.rerun": async () => (await import("../jobs/startRerun.ts")).jobsRerun,
  "skills.list": async () => (await import("../skills/skillsList.ts")).skillsList,
  "skills.show": async () => (await import("../skills/skillsList.ts")).skillsShow,
  // /services
} satisfies { readonly [N in keyof AllServices]?: () => Promise<PlainService<AllServices[N]>> };

export type PlainServiceName = keyof typeof plain;

export const plainServices: {
  readonly [N in PlainServiceName]: () => Promise<PlainService<AllServices[N]>>;
} = plain;

export const isPlainService = (name: string): name is PlainServiceName => Object.hasOwn(plainServices, name);

/** Services after which the archive belongs to another process: who has it has to let go of it first. */
export const handsArchiveOver = (name: PlainServiceName): boolean =>
  name === "evolution.start" || name === "evolution.continue";

/**
 * Answers a request that needs no archive, in this process.
 * @throws HarnessError badInput for parameters that do not fit, and those of the service
 */
export async function askPlain<N extends PlainServiceName>(
  context: PlainContext,
  name: N,
  params: AllServices[N]["params"],
  call: Partial<ServiceCall<AllServices[N]["part"]>> = {},
): Promise<AllServices[N]["result"]> {
  const { signal = new AbortController().signal, progress = () => undefined } = call;
  return runService(await plainServices[name](), context, { signal, progress, params });
}
