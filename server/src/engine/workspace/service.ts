import type { z } from "zod";
import { HarnessError } from "../../base/errors.ts";
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
export interface ProgressReport {
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
  /** A part of the answer that is known already, plain JSON; the service says of what type. */
  readonly part?: unknown;
}

/** The request that a service answers, apart from its parameters. */
export interface ServiceCall {
  /** Aborted when the caller cancelled or went away. */
  readonly signal: AbortSignal;
  readonly progress: (report: ProgressReport) => void;
}

/** One request, answered from a context. */
export interface ServiceOf<C, S extends z.ZodType = z.ZodType, R = unknown> {
  /** Its key in `services.ts`. */
  readonly name: string;
  readonly params: S;
  /**
   * Whether it may be asked again when its owner died before it answered: true for what only reads, and for a write
   * that comes to the same when it is done twice.
   */
  readonly repeatable: boolean;
  run(context: C, params: z.output<S>, call: ServiceCall): Promise<R>;
}

/** One request that needs the archive: it does the same whether its caller owns the archive or asks the owner. */
export type Service<S extends z.ZodType = z.ZodType, R = unknown> = ServiceOf<ServiceContext, S, R>;

/** What a request works on that needs no archive. */
export type PlainContext = Omit<ServiceContext, "store">;

/** One request that needs no archive: whoever is asked answers, and nobody is waited for. */
export type PlainService<S extends z.ZodType = z.ZodType, R = unknown> = ServiceOf<PlainContext, S, R>;

/** `T` where it survives JSON unchanged; a bigint, a date, a map or a function in it does not compile. */
export type JsonSafe<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null
    ? T
    : T extends
          | bigint
          | symbol
          | Date
          | ReadonlyMap<unknown, unknown>
          | ReadonlySet<unknown>
          | Uint8Array
          | ((...args: never[]) => unknown)
      ? never
      : T extends object
        ? { [K in keyof T]: JsonSafe<Exclude<T[K], undefined>> | Extract<T[K], undefined> }
        : never;

/** A service whose parameters are checked by a schema and whose result is plain JSON, to be listed in `services.ts`. */
export function defineService<S extends z.ZodType, R>(
  service: Omit<Service<S, R>, "run"> & {
    run(context: ServiceContext, params: z.output<S>, call: ServiceCall): Promise<R & JsonSafe<R>>;
  },
): Service<S, R> {
  return service;
}

/** The same without the archive, to be listed in `plainServices.ts`. */
export function definePlainService<S extends z.ZodType, R>(
  service: Omit<PlainService<S, R>, "run"> & {
    run(context: PlainContext, params: z.output<S>, call: ServiceCall): Promise<R & JsonSafe<R>>;
  },
): PlainService<S, R> {
  return service;
}

/** Services by name, each loaded when it is first asked for. */
export type ServiceTable = Readonly<Record<string, () => Promise<Service>>>;

type Loaded<T extends ServiceTable, N extends keyof T> = Awaited<ReturnType<T[N]>>;
/** What a caller passes to a service. */
export type ParamsOf<T extends ServiceTable, N extends keyof T> = z.input<Loaded<T, N>["params"]>;
/** What a service answers. */
export type ResultOf<T extends ServiceTable, N extends keyof T> = Awaited<ReturnType<Loaded<T, N>["run"]>>;

/** The service of a name. @throws HarnessError badInput */
export async function findService(table: ServiceTable, name: string): Promise<Service> {
  const load = Object.hasOwn(table, name) ? table[name] : undefined;
  if (load === undefined)
    throw new HarnessError(
      "badInput",
      `The engine has no request "${name}"; use the same release on both sides.`,
    );
  return load();
}

/**
 * Checks the parameters and runs a service. @throws HarnessError badInput for parameters that do not fit, cancelled once
 * the signal is aborted, and those of the service
 */
export async function runService<C>(
  service: ServiceOf<C>,
  context: C,
  request: ServiceCall & { readonly params: unknown },
): Promise<unknown> {
  const { signal, progress } = request;
  const params = service.params.safeParse(request.params);
  if (!params.success) {
    const issue = params.error.issues[0];
    throw new HarnessError(
      "badInput",
      `The request ${service.name} cannot be answered: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(": ")}.`,
    );
  }
  const isCancelled = (): boolean => signal.aborted;
  if (isCancelled()) throw cancelled();
  try {
    return await service.run(context, params.data, { signal, progress });
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
