import type { z } from "zod";
import {
  contract,
  type AllServices,
  type Contract,
  type ServiceName,
  type ServiceTypes,
} from "../../../../shared/protocol/services.ts";
import { HarnessError } from "../../base/errors.ts";
import { whileWanted } from "../../base/wanted.ts";
import type { Store } from "../../evidence/archive/store.ts";

/** What a service works on: the open archive and the project around it. */
export interface ServiceContext {
  readonly store: Store;
  /** The project's folder, where evotrainer.yaml lies. */
  readonly root: string;
  /** Whether the process that has the archive may run the project's programs and connect to its models. */
  readonly trusted: boolean;
}

/** How far a request has come. */
export interface ProgressReport<X = unknown> {
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
  /** A part of the answer that is known already, as the contract describes it. */
  readonly part?: X;
}

/** The request that a service answers, apart from its parameters. */
export interface ServiceCall<X = unknown> {
  /** Aborted when the caller cancelled or went away. */
  readonly signal: AbortSignal;
  readonly progress: (report: ProgressReport<X>) => void;
}

/** What a service does; its name, parameters and result are in the contract (shared/protocol/services.ts). */
export interface Work<C, S extends ServiceTypes> {
  /**
   * Whether it may be asked again when its owner died before it answered: true for what only reads, and for a write
   * that comes to the same when it is done twice.
   */
  readonly repeatable: boolean;
  run(context: C, params: S["given"], call: ServiceCall<S["part"]>): Promise<S["result"]>;
}

/** One request, answered from a context. */
export interface ServiceOf<C, S extends ServiceTypes = ServiceTypes> extends Work<C, S> {
  readonly name: string;
  readonly params: z.ZodType<S["given"], S["params"]>;
  readonly result: z.ZodType<S["result"]>;
  readonly part: z.ZodType<S["part"]>;
}

/** One request that needs the archive: it does the same whether its caller owns the archive or asks the owner. */
export type Service<S extends ServiceTypes = ServiceTypes> = ServiceOf<ServiceContext, S>;

/** What a request works on that needs no archive. */
export type PlainContext = Omit<ServiceContext, "store">;

/** One request that needs no archive: whoever is asked answers, and nobody is waited for. */
export type PlainService<S extends ServiceTypes = ServiceTypes> = ServiceOf<PlainContext, S>;

/** The service of a name in a contract. */
export function serviceOf<T extends Types<T>, N extends keyof T & string, C>(
  within: Contract<T>,
  name: N,
  work: Work<C, T[N]>,
): ServiceOf<C, T[N]> {
  return {
    name,
    repeatable: work.repeatable,
    run: (context, params, call) => work.run(context, params, call),
    get params() {
      return within[name].params;
    },
    get result() {
      return within[name].result;
    },
    get part() {
      return within[name].part;
    },
  };
}

/** The work of a service of the contract; `npm run protocol` lists it in `services.ts`. */
export const defineService = <N extends ServiceName>(
  name: N,
  work: Work<ServiceContext, AllServices[N]>,
): Service<AllServices[N]> => serviceOf<AllServices, N, ServiceContext>(contract, name, work);

/** The same without the archive, listed in `plainServices.ts`. */
export const definePlainService = <N extends ServiceName>(
  name: N,
  work: Work<PlainContext, AllServices[N]>,
): PlainService<AllServices[N]> => serviceOf<AllServices, N, PlainContext>(contract, name, work);

/** The types of services by name. */
export type Types<T> = Readonly<Record<keyof T, ServiceTypes>>;

/** Services by name, each loaded when it is first asked for. */
export type ServiceTable<T extends Types<T>> = { readonly [N in keyof T]: () => Promise<Service<T[N]>> };

/** The same for who knows no name beforehand. */
export type AnyServiceTable = Readonly<Record<string, () => Promise<Service>>>;

/** The service of a name. @throws HarnessError badInput */
export async function findService(table: AnyServiceTable, name: string): Promise<Service> {
  const load = Object.hasOwn(table, name) ? table[name] : undefined;
  if (load === undefined)
    throw new HarnessError(
      "badInput",
      `The engine has no request "${name}"; use the same release on both sides.`,
    );
  return load();
}

/** @throws HarnessError badInput with what does not fit the contract */
function refuseParams(name: string, { issues: [issue] }: z.ZodError): never {
  throw new HarnessError(
    "badInput",
    `The request ${name} cannot be answered: ${[issue?.path.join("."), issue?.message.replace(/\.$/, "")].filter(Boolean).join(": ")}.`,
  );
}

/** Holds what came from outside against the contract. @throws HarnessError badInput for parameters that do not fit */
export function assertParams<N extends ServiceName>(
  name: N,
  params: unknown,
): asserts params is AllServices[N]["params"] {
  const found = contract[name].params.safeParse(params);
  if (!found.success) refuseParams(name, found.error);
}

/**
 * Checks the parameters and runs a service. @throws HarnessError badInput for parameters that do not fit, cancelled once
 * the signal is aborted, and those of the service
 */
export async function runService<C, S extends ServiceTypes>(
  service: ServiceOf<C, S>,
  context: C,
  request: ServiceCall<S["part"]> & { readonly params: unknown },
): Promise<S["result"]> {
  const { signal, progress } = request;
  const params = service.params.safeParse(request.params);
  if (!params.success) refuseParams(service.name, params.error);
  const isCancelled = (): boolean => signal.aborted;
  if (isCancelled()) throw cancelled();
  try {
    // What it asks of the archive ends with it, however deep the question is asked.
    return await whileWanted(signal, () => service.run(context, params.data, { signal, progress }));
  } catch (e) {
    // However the service noticed, its caller is told the one reason.
    if (isCancelled() && !(HarnessError.is(e) && e.reason !== "cancelled")) throw cancelled(e);
    throw e;
  }
}

/** What a caller sees of a request that it cancelled. */
export function cancelled(cause?: unknown): HarnessError {
  return HarnessError.is(cause, "cancelled")
    ? cause
    : new HarnessError("cancelled", "The request was cancelled.", cause === undefined ? {} : { cause });
}
