import { runsUntrusted } from "../../../../shared/words/refusals.ts";
import { HarnessError } from "../../base/errors.ts";
import type { PlainContext } from "./service.ts";

/** @throws HarnessError badInput where nothing of the project may be run */
export function assertTrusted({ trusted }: PlainContext, what: string): void {
  if (!trusted) throw new HarnessError("badInput", runsUntrusted(what));
}
