import {
  runService,
  type ParamsOf,
  type PlainContext,
  type PlainService,
  type ResultOf,
  type ServiceCall,
} from "../workspace/service.ts";

/** Services that need no archive, and so never wait for who has it. They are listed in `services.ts` with the others. */
export const plainServices = {
  "jobs.list": async () => (await import("../jobs/jobs.ts")).jobsList,
  "jobs.show": async () => (await import("../jobs/jobs.ts")).jobsShow,
  "jobs.log": async () => (await import("../jobs/jobs.ts")).jobsLog,
  "jobs.cancel": async () => (await import("../jobs/jobs.ts")).jobsCancel,
  "jobs.rerun": async () => (await import("../jobs/jobs.ts")).jobsRerun,
  "evolution.status": async () => (await import("../evolution/evolution.ts")).evolutionStatusService,
  "evolution.events": async () => (await import("../evolution/evolution.ts")).evolutionEvents,
  "evolution.start": async () => (await import("../evolution/evolution.ts")).evolutionStart,
  "evolution.continue": async () => (await import("../evolution/evolution.ts")).evolutionContinue,
  "evolution.stop": async () => (await import("../evolution/evolution.ts")).evolutionStop,
  "diagnostics.list": async () => (await import("../specs/specs.ts")).diagnosticsList,
  "skills.list": async () => (await import("../specs/specs.ts")).skillsList,
  "hosts.list": async () => (await import("../hosts/hosts.ts")).hostsList,
  "hosts.candidates": async () => (await import("../hosts/hosts.ts")).hostsCandidates,
  "hosts.entry": async () => (await import("../hosts/hosts.ts")).hostsEntry,
  "hosts.check": async () => (await import("../hosts/hosts.ts")).hostsCheck,
} satisfies Readonly<Record<string, () => Promise<PlainService>>>;

export type PlainServiceName = keyof typeof plainServices;

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
  params: ParamsOf<typeof plainServices, N>,
  call?: Partial<ServiceCall>,
): Promise<ResultOf<typeof plainServices, N>>;
export async function askPlain(
  context: PlainContext,
  name: PlainServiceName,
  params: unknown,
  call: Partial<ServiceCall> = {},
): Promise<unknown> {
  const { signal = new AbortController().signal, progress = () => undefined } = call;
  const service: PlainService = await plainServices[name]();
  return runService(service, context, { signal, progress, params });
}
