import { setTimeout as delay } from "node:timers/promises";
import { HarnessError } from "../../base/errors.ts";
import { storeBusy } from "../../evidence/store/storeErrors.ts";
import type { AllServices } from "../../../../shared/protocol/services.ts";
import { cancelled, type ProgressReport, type ServiceTable, type Types } from "../workspace/service.ts";
import { services as allServices } from "../services/services.ts";
import type { Remote } from "./connect.ts";
import { OwnerClosing, OwnerLost } from "./loss.ts";
import { isAlive, readOwnerFile } from "../workspace/ownerFile.ts";
import { openOwner, type Owner, type OwnerOptions } from "./owner.ts";
import { canonicalArchive, type EnginePlace } from "../workspace/place.ts";

/** How long a held archive is waited for, in milliseconds since its owner was last heard of. */
export interface Patience {
  /** The holder is no engine that could be reached: another program, or an engine of another user. */
  readonly strangerMs: number;
  /** The holder is an engine that opens or closes just now. */
  readonly engineMs: number;
  /** The holder is a verb, for who wants to keep the archive. */
  readonly verbMs: number;
  /** It accepted the connection: until it has answered. */
  readonly helloMs: number;
}
const usualPatience: Patience = {
  strangerMs: 5_000,
  engineMs: 30_000,
  verbMs: 10_000,
  helloMs: 10_000,
};

export interface AskOptions<X = unknown> {
  readonly signal?: AbortSignal;
  readonly progress?: (report: ProgressReport<X>) => void;
}

/** The archive as its users see it, whoever owns it. */
export interface Engine<T extends Types<T> = AllServices> {
  /**
   * Runs a service here or at the owner, once more if that owner dies before it answers.
   * @throws HarnessError storeBusy, releaseMismatch, ownerLost, cancelled, and those of the service
   */
  request<N extends keyof T & string>(
    name: N,
    params: T[N]["params"],
    options?: AskOptions<T[N]["part"]>,
  ): Promise<T[N]["result"]>;
}

export interface EngineOptions extends Partial<OwnerOptions> {
  readonly patience?: Partial<Patience>;
}

/**
 * Runs `use` with the archive of a place: as its owner when nobody is, otherwise through the owner. An owner answers
 * what others have asked it before this returns.
 * @throws HarnessError storeBusy, releaseMismatch, storeFailed, unsupportedFileSystem, diskFull
 */
export function withEngine<R>(
  place: EnginePlace,
  use: (engine: Engine) => Promise<R>,
  options: Omit<EngineOptions, "services"> = {},
): Promise<R> {
  return withServices(allServices, place, use, options);
}

/** The same with other services than the product's. */
export async function withServices<T extends Types<T>, R>(
  services: ServiceTable<T>,
  place: EnginePlace,
  use: (engine: Engine<T>) => Promise<R>,
  options: Omit<EngineOptions, "services"> = {},
): Promise<R> {
  const session = new Session<T>(place, services, { role: "verb", ...options });
  try {
    await session.open();
    return await use(session);
  } finally {
    await session.close();
  }
}

/**
 * Takes the archive for a long time, and answers the others meanwhile. A verb that has it is waited for; an evolution or
 * an editor keeps it, so that is refused. (Here an evolution could be handed to them instead.)
 * @throws HarnessError storeBusy, releaseMismatch, storeFailed, unsupportedFileSystem, diskFull
 */
export async function keepEngine(
  place: EnginePlace,
  options: OwnerOptions & Pick<EngineOptions, "patience">,
): Promise<Owner> {
  const archive = await canonicalArchive(place);
  return acquire<never>(place, options, (remote) => {
    remote.close();
    if (remote.role !== "verb") throw storeBusy(archive, remote.pid);
    return undefined;
  });
}

type Holder = Owner | Remote;

/** A request that ends every owner it reaches must not end them all. */
const mostRepeats = 3;

class Session<T extends Types<T>> implements Engine<T> {
  readonly #place: EnginePlace;
  readonly #services: ServiceTable<T>;
  readonly #options: OwnerOptions & EngineOptions;
  #holder: Promise<Holder> | undefined;

  constructor(
    place: EnginePlace,
    services: ServiceTable<T>,
    options: Omit<OwnerOptions & EngineOptions, "services">,
  ) {
    this.#place = place;
    this.#services = services;
    this.#options = { ...options, services };
  }

  async open(): Promise<void> {
    await this.#hold();
  }

  async request<N extends keyof T & string>(
    name: N,
    params: T[N]["params"],
    options: AskOptions<T[N]["part"]> = {},
  ): Promise<T[N]["result"]> {
    const { signal = new AbortController().signal, progress = () => undefined } = options;
    const service = await this.#services[name]();
    for (let losses = 0; ;) {
      if (signal.aborted) throw cancelled();
      const held = this.#hold();
      const holder = await unlessAborted(held, signal);
      try {
        return await unlessAborted(holder.run<T[N]>({ name, service, params }, { signal, progress }), signal);
      } catch (e) {
        if (!OwnerClosing.is(e) && !OwnerLost.is(e)) throw e;
        if (this.#holder === held) this.#holder = undefined;
        if (OwnerClosing.is(e)) continue;
        losses++;
        if (!service.repeatable || losses > mostRepeats)
          throw new HarnessError(
            "ownerLost",
            `The engine that owned the archive ended while it worked on ${name}, which may be half done; look at the result and run it again.`,
            { cause: e },
          );
      }
    }
  }

  async close(): Promise<void> {
    const holder = await this.#holder?.catch(() => undefined);
    await holder?.close();
  }

  #hold(): Promise<Holder> {
    if (this.#holder !== undefined) return this.#holder;
    const holder = acquire(this.#place, this.#options, (remote) => remote);
    this.#holder = holder;
    holder.catch(() => {
      if (this.#holder === holder) this.#holder = undefined;
    });
    return holder;
  }
}

/**
 * Becomes the owner, or reaches the one that there is and asks `settle` whether to be content with it. Tries again while
 * an owner opens, closes or dies, with pauses, as long as the patience lasts.
 */
async function acquire<R extends Remote>(
  place: EnginePlace,
  options: OwnerOptions & Pick<EngineOptions, "patience">,
  settle: (remote: Remote) => R | undefined,
): Promise<Owner | R> {
  const patience = { ...usualPatience, ...options.patience };
  const archive = await canonicalArchive(place);
  let heard = Date.now();
  let wasBusy = false;
  for (let pause = 15; ; pause = Math.min(250, pause * 1.5)) {
    const file = await readOwnerFile(archive);
    // The owner is asked before the lock is tried: that is faster, and safe where locks do not hold.
    // A file whose process is gone is passed over, unless the lock is held after all: it may be in another container.
    const alive = file !== undefined && isAlive(file.pid);
    const answer =
      file === undefined || !(alive || wasBusy)
        ? undefined
        : await (await import("./connect.ts")).callOwner(file, { helloMs: patience.helloMs });
    let busy: HarnessError | undefined;
    let limit = alive ? patience.engineMs : patience.strangerMs;
    if (answer?.type === "connected") {
      const settled = settle(answer.remote);
      if (settled !== undefined) return settled;
      busy = storeBusy(archive, answer.remote.pid);
      limit = patience.verbMs;
    } else if (answer?.type === "closing") heard = Date.now();
    else
      try {
        return await openOwner(place, options);
      } catch (e) {
        if (!HarnessError.is(e, "storeBusy")) throw e;
        busy = e;
      }
    wasBusy = busy !== undefined;
    if (busy !== undefined && Date.now() - heard > limit) throw busy;
    await delay(pause * (0.75 + Math.random() / 2));
  }
}

/** Gives up waiting at once when the caller cancels, whether or not what is waited for notices. */
function unlessAborted<V>(work: Promise<V>, signal: AbortSignal): Promise<V> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(cancelled());
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
    if (signal.aborted) abort();
  });
}
