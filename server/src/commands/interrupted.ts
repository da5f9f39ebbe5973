import { HarnessError } from "../base/errors.ts";
import type { Verb } from "./verbs.ts";

const nothing = "Nothing was changed.";
const again = "Run the same command again: what is done already is kept.";

/** What somebody is told who interrupts a verb: that nothing was changed, or how to go on. */
export const goOn: Readonly<Record<Verb, string>> = {
  init: "Run the same command again: it adds what is missing, and overwrites nothing.",
  check: nothing,
  lsp: nothing,
  mcp: nothing,
  import: again,
  attach: "The run goes on. Run the same command again to continue from here.",
  validate: nothing,
  diagnose: again,
  rollouts: nothing,
  label: "The answers that you gave are kept. Run the same command again to go on.",
  backtest: nothing,
  curriculum: nothing,
  pentest: nothing,
  gaps: "A draft is written whole or not at all: run the same command again.",
  compare: nothing,
  lineage: nothing,
  cases: nothing,
  items: nothing,
  tripwires: nothing,
  replay: nothing,
  export: "Run the same command again: it writes the file anew.",
  propose: "`evotrainer review` shows whether there is a proposal; if not, run the same command again.",
  proposers: "Run the same command again.",
  hint: "Run the same command again.",
  review: "`evotrainer review <version>` shows whether an answer was recorded.",
  revert: "`evotrainer lineage` shows whether the new version was made.",
  promote: "Run the same command again to go on; jobs that were started keep running.",
  trust: "Run the same command again.",
  doctor: nothing,
  host: "Run the same command again.",
  calibrate: "Run `evotrainer calibrate` again to go on; jobs that were started keep running.",
  evolve: "Run `evotrainer evolve` again to go on; jobs that were started keep running.",
  budget: "`evotrainer budget` shows what is in force.",
  jobs: "Jobs keep running.",
  logs: "The job keeps running; `evotrainer jobs` shows it.",
  cancel: "`evotrainer jobs` shows whether the job still runs.",
  rerun: "`evotrainer jobs` shows whether the job was started again.",
  skills: "`evotrainer skills` shows what was recorded.",
  archive: again,
  agents: "Run the same command again: a changed file is replaced only with --replace.",
  completion: nothing,
};

/** The failure that somebody made by interrupting a verb; without a verb nothing was begun. */
export const interruptedVerb = (verb: Verb | undefined): HarnessError =>
  new HarnessError("cancelled", `Interrupted. ${verb === undefined ? nothing : goOn[verb]}`);
