import { isBegun, readBegun, type Begun } from "../../lineage/begun.ts";
import type { Repository } from "../../lineage/repository.ts";
import type { EnginePlace } from "./place.ts";
import { repositoryOf } from "./repositoryOf.ts";

/** An import asks about each of its files: what was read is used again for so long. */
const restMilliseconds = 1000;

/** Says of a version whether the project's ledger began it, so that only its own jobs tell of it. */
export function ownVersions({ root }: Pick<EnginePlace, "root">): (version: string) => Promise<boolean> {
  let at = -Infinity;
  let reading: Promise<{ repository: Repository; begun: Begun } | undefined> | undefined;
  let known: Begun | undefined;
  const read = async (): Promise<{ repository: Repository; begun: Begun } | undefined> => {
    const repository = await repositoryOf(root);
    if (repository === undefined) return undefined;
    known = await readBegun(repository, known);
    return { repository, begun: known };
  };
  return async (version) => {
    if (reading === undefined || performance.now() - at > restMilliseconds) {
      at = performance.now();
      reading = read();
      reading.catch(() => (reading = undefined));
    }
    const found = await reading;
    return found !== undefined && isBegun(found.repository, found.begun, version);
  };
}
