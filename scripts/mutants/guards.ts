import { assistantGuards } from "./assistants.ts";
import { changeGuards } from "./changes.ts";
import { evidenceGuards } from "./evidence.ts";
import { harnessGuards } from "./harness.ts";
import { heldGuards } from "./held.ts";
import { hostGuards } from "./hosts.ts";
import { identityGuards } from "./identity.ts";
import { keeperGuards } from "./keepers.ts";
import { measuringGuards } from "./measuring.ts";
import type { Mutant } from "./mutant.ts";
import { ownerGuards } from "./owner.ts";
import { proposerGuards } from "./proposers.ts";
import { queueGuards } from "./queues.ts";
import { readingGuards } from "./reading.ts";
import { recordGuards } from "./record.ts";
import { skillGuards } from "./skills.ts";
import { textGuards } from "./text.ts";
import { viewGuards } from "./views.ts";
import { wordGuards } from "./words.ts";

/** Every guard that the security of the product rests on, by subject. */
export const guards: readonly Mutant[] = [
  ...wordGuards,
  ...changeGuards,
  ...recordGuards,
  ...evidenceGuards,
  ...harnessGuards,
  ...identityGuards,
  ...skillGuards,
  ...heldGuards,
  ...textGuards,
  ...proposerGuards,
  ...ownerGuards,
  ...assistantGuards,
  ...queueGuards,
  ...readingGuards,
  ...viewGuards,
  ...measuringGuards,
  ...hostGuards,
  ...keeperGuards,
];
