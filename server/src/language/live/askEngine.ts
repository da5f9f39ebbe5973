import { stat } from "node:fs/promises";
import type { AskOptions, Engine } from "../../engine/owner/withEngine.ts";
import type { AllServices, ServiceName } from "../../../../shared/protocol/services.ts";
import type { ParamsOf, ResultOf } from "../../engine/services/services.ts";

/** Asks the engine of a project; undefined where there is no archive to ask about. */
export type AskEngine = <N extends ServiceName>(
  root: string,
  name: N,
  params: ParamsOf<N>,
  options?: AskOptions<AllServices[N]["part"]>,
) => Promise<ResultOf<N> | undefined>;

/** How long the archive is kept after an answer: while somebody types, the next question comes soon. */
const lingerMs = 3000;

/** The way to the archives, and how they are left to another process. */
export interface Engines {
  readonly ask: AskEngine;
  /**
   * Gives the archive of a project back, as soon as those that are asked have answered, and holds questions back until
   * `work` is done: what it starts shall have the archive.
   */
  readonly yieldTo: <T>(root: string, work: () => Promise<T>) => Promise<T>;
}

type Held = { readonly engine: Promise<Engine>; release: () => void; users: number; timer?: NodeJS.Timeout };

/** When an archive was last written to; undefined when there is none. */
export async function archiveStamp(root: string): Promise<string | undefined> {
  const { placeOf } = await import("../../engine/workspace/place.ts");
  const { archive } = placeOf(root);
  const stamps = await Promise.all(
    [archive, `${archive}.wal`].map((path) =>
      stat(path).then(
        ({ mtimeMs, size }) => `${mtimeMs}:${size}`,
        () => undefined,
      ),
    ),
  );
  return stamps[0] === undefined ? undefined : stamps.join();
}

/** Requests to the owner of each project's archive, or to the archive itself, which is given back a moment later. */
export function openEngines(): Engines {
  const held = new Map<string, Held>();
  const yielding = new Map<string, Promise<unknown>>();

  function hold(root: string): Held {
    const found = held.get(root);
    if (found) return found;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const engine = new Promise<Engine>((resolve, reject) => {
      // Loaded when it is needed: findings do not wait for it.
      const opening = Promise.all([
        import("../../engine/workspace/place.ts"),
        import("../../engine/owner/withEngine.ts"),
      ]).then(([{ placeOf }, { withEngine }]) =>
        withEngine(
          placeOf(root),
          (opened) => {
            resolve(opened);
            return released;
          },
          // Nothing is asked of the engine of a project before its workspace is trusted.
          { trusted: true },
        ),
      );
      opening.catch((e: unknown) => {
        held.delete(root);
        reject(e instanceof Error ? e : new Error(String(e)));
      });
    });
    const session: Held = { engine, release, users: 0 };
    held.set(root, session);
    return session;
  }

  const ask = async <N extends ServiceName>(
    root: string,
    name: N,
    params: ParamsOf<N>,
    options?: AskOptions<AllServices[N]["part"]>,
  ): Promise<ResultOf<N> | undefined> => {
    // Nothing is created by a question.
    if ((await archiveStamp(root)) === undefined) return undefined;
    await yielding.get(root);
    const session = hold(root);
    session.users++;
    clearTimeout(session.timer);
    try {
      const engine = await session.engine;
      const answer: ResultOf<N> = await engine.request<N>(name, params, options);
      return answer;
    } finally {
      session.users--;
      if (session.users === 0)
        session.timer = setTimeout(() => letGo(root, session), yielding.has(root) ? 0 : lingerMs);
    }
  };

  function letGo(root: string, session: Held): void {
    clearTimeout(session.timer);
    if (held.get(root) === session) held.delete(root);
    session.release();
  }

  async function yieldTo<T>(root: string, work: () => Promise<T>): Promise<T> {
    const before = yielding.get(root);
    const done = (async () => {
      await before;
      const session = held.get(root);
      if (session?.users === 0) letGo(root, session);
      return work();
    })();
    const settled = done.catch(() => undefined);
    yielding.set(root, settled);
    try {
      return await done;
    } finally {
      if (yielding.get(root) === settled) yielding.delete(root);
    }
  }

  return { ask, yieldTo };
}
