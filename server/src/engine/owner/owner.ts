import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { privateFolder } from "../../base/files.ts";
import { silentLog, type Log } from "../../base/log.ts";
import { openStore, type Store } from "../../evidence/archive/store.ts";
import { repositoryOf } from "../workspace/repositoryOf.ts";
import { assertUntracked } from "../workspace/untracked.ts";
import { ownVersions } from "../workspace/ownVersions.ts";
import { runTerms } from "../workspace/runTerms.ts";
import { checkFileSystem, type FileSystemProbe } from "../workspace/fileSystem.ts";
import { writeError } from "../../base/standardError.ts";
import type { ServiceTypes } from "../../../../shared/protocol/services.ts";
import {
  findService,
  runService,
  type AnyServiceTable,
  type Service,
  type ServiceCall,
} from "../workspace/service.ts";
import { services as allServices } from "../services/services.ts";
import { newAddress } from "./address.ts";
import { writeOwnerFile } from "../workspace/ownerFile.ts";
import type { EnginePlace } from "../workspace/place.ts";
import { OwnerClosing } from "./loss.ts";
import type { Role } from "./role.ts";
import type { Served } from "./serve.ts";

export interface OwnerOptions {
  readonly role: Role;
  readonly log?: Log;
  readonly services?: AnyServiceTable;
  readonly probe?: FileSystemProbe;
  /** Whether this process may run the project's programs and connect to its models; not unless somebody says so. */
  readonly trusted?: boolean;
}

/** A request to an engine: the service, the name that it is asked by, and what it is to work with. */
export interface Asked<S extends ServiceTypes> {
  readonly name: string;
  readonly service: Service<S>;
  readonly params: S["params"];
}

/** This process holds the archive's lock: it works on it and answers everybody else. */
export interface Owner {
  readonly store: Store;
  /** Runs a service. @throws OwnerClosing, HarnessError */
  run<S extends ServiceTypes>(asked: Asked<S>, call: ServiceCall<S["part"]>): Promise<S["result"]>;
  /** Answers what is in flight, takes nothing new, and gives the archive back. */
  close(): Promise<void>;
}

/** How long a client may take to leave once it knows that the owner closes. */
const leaveMs = 1_000;
const mostClients = 64;

/**
 * Takes the archive's lock and listens for as long as it is held. The lock belongs to the process: it is lost when any
 * other descriptor of the file is closed here, so nothing in an owner may open the archive's file by itself.
 * @throws HarnessError storeBusy, storeFailed, unsupportedFileSystem, diskFull
 */
export async function openOwner(place: EnginePlace, options: OwnerOptions): Promise<Owner> {
  const { role, log = silentLog, services = allServices, probe, trusted = false } = options;
  const folder = dirname(place.archive);
  await checkFileSystem(folder, { log, ...(probe === undefined ? {} : { probe }) });
  const repository = await repositoryOf(place.root);
  if (repository !== undefined) await assertUntracked(repository);
  await privateFolder(folder);
  const inFlight = new Set<Promise<unknown>>();
  const opened = promiseOf<Store>();
  let closing: Promise<void> | undefined;

  const follow = async <R>(work: () => Promise<R>): Promise<R> => {
    if (closing !== undefined) throw new OwnerClosing();
    const answer = work();
    inFlight.add(answer);
    try {
      return await answer;
    } finally {
      inFlight.delete(answer);
    }
  };
  const run = <S extends ServiceTypes>(
    { service, params }: Omit<Asked<S>, "name">,
    call: ServiceCall<S["part"]>,
  ): Promise<S["result"]> =>
    follow(async () =>
      runService(service, { store: await opened.promise, root: place.root, trusted }, { ...call, params }),
    );
  const serving = {
    token: randomBytes(32).toString("hex"),
    role,
    isClosing: () => closing !== undefined,
    run: (name: string, params: unknown, call: ServiceCall) =>
      follow(async () => {
        const [service, store] = await Promise.all([findService(services, name), opened.promise]);
        return runService(service, { store, root: place.root, trusted }, { ...call, params });
      }),
  };
  let clients: Promise<Clients> | undefined;
  const leave = async (): Promise<void> => {
    const told = await clients;
    told?.tellClosing();
    await Promise.allSettled(inFlight);
    await told?.close();
  };

  try {
    const store = await openStore({
      path: place.archive,
      evidenceRoot: place.evidenceRoot,
      termsOf: runTerms(place),
      isOwnVersion: ownVersions(place),
      // A command shows it in the terminal, the language server in its output.
      onReplaced: writeError,
      log,
      // Others shall see at once that an engine has it: to replay a log or to rebuild can take a while.
      onLocked: async (path) => {
        await (clients ??= listen(path, serving, log));
      },
    });
    opened.resolve(store);
    const close = (): Promise<void> => leave().then(() => store.close());
    return { store, run, close: () => (closing ??= close()) };
  } catch (e) {
    opened.reject(e);
    await (closing ??= leave().catch(() => undefined));
    throw e;
  }
}

function promiseOf<T>(): {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(e: unknown): void;
} {
  let [resolve, reject]: [(value: T) => void, (e: unknown) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((a, b) => ([resolve, reject] = [a, b]));
  promise.catch(() => undefined);
  return { promise, resolve: (value) => resolve(value), reject: (e) => reject(e) };
}

interface Clients {
  tellClosing(): void;
  close(): Promise<void>;
}

/** Listens on a new address, and only then lets others know it. */
async function listen(archive: string, serving: Served, log: Log): Promise<Clients> {
  const address = await newAddress(archive);
  const sockets = new Map<Socket, { tellClosing(): void } | undefined>();
  const server = createServer((socket) => {
    sockets.set(socket, undefined);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
    // Most verbs end before anybody asks them: what it takes to answer is loaded for the first who does.
    void import("./serve.ts").then(({ serveConnection }) => {
      if (!socket.destroyed) sockets.set(socket, serveConnection(socket, serving));
    });
  });
  server.maxConnections = mostClients;
  try {
    server.listen(address);
    await once(server, "listening");
    if (process.platform !== "win32") await chmod(address, 0o600);
    await writeOwnerFile(archive, { pid: process.pid, address, token: serving.token });
  } catch (e) {
    server.close();
    throw e;
  }
  log.debug("engine", "owner listens", { address, role: serving.role });
  return {
    tellClosing() {
      for (const client of sockets.values()) client?.tellClosing();
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      const patience = new AbortController();
      await Promise.race([closed, delay(leaveMs, undefined, { signal: patience.signal }).catch(() => {})]);
      patience.abort();
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
      if (process.platform !== "win32") await rm(address, { force: true });
    },
  };
}
