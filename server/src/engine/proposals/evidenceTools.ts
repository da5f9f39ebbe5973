import { HarnessError } from "../../base/errors.ts";
import type { EvidenceTools } from "../../proposals/proposers/evidenceTools.ts";
import type { ServiceContext } from "../workspace/service.ts";

/** Makes the tools of proposers from an open archive. */
export type OpenTools = (context: Pick<ServiceContext, "root" | "store">) => EvidenceTools;

let load: (() => Promise<OpenTools>) | undefined;

/** The tools are made of services, so they lie above the engine: each program that runs one says where they are. */
export function provideEvidenceTools(from: () => Promise<OpenTools>): void {
  load = from;
}

/** @throws HarnessError badInput in a program that has none */
export async function evidenceToolsOf(
  context: Pick<ServiceContext, "root" | "store">,
): Promise<EvidenceTools> {
  if (load === undefined)
    throw new HarnessError(
      "badInput",
      "The process that has the archive has no tools for proposers; run `evotrainer propose` while nothing else is open.",
    );
  return (await load())(context);
}
