import { HarnessError } from "../base/errors.ts";
import { goOn } from "./terminal/goOn.ts";
import type { Verb } from "./verbs.ts";

/** There is a sentence for every verb. */
const sentences: Readonly<Record<Verb, string>> = goOn;

/** The failure that somebody made by interrupting a verb; without a verb nothing was begun. */
export const interruptedVerb = (verb: Verb | undefined): HarnessError =>
  new HarnessError(
    "cancelled",
    `Interrupted. ${verb === undefined ? "Nothing was changed." : sentences[verb]}`,
  );
