import { changeGuards } from "./changes.ts";
import { evidenceGuards } from "./evidence.ts";
import { harnessGuards } from "./harness.ts";
import { identityGuards } from "./identity.ts";
import type { Mutant } from "./mutant.ts";
import { proposerGuards } from "./proposers.ts";
import { recordGuards } from "./record.ts";
import { skillGuards } from "./skills.ts";
import { textGuards } from "./text.ts";
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
  ...textGuards,
  ...proposerGuards,
];
