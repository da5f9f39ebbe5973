import { setTimeout as delay } from "node:timers/promises";
import { Option } from "commander";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { inLine, jsonText } from "../../base/plainText.ts";
import { Attached, type FollowChoices, type RunNow } from "../../engine/following/attached.ts";
import { targetOf } from "../../engine/following/target.ts";
import { findEvidenceRoot } from "../../engine/project/bareProject.ts";
import { goOn } from "../terminal/goOn.ts";
import { evidenceVersion, inspect } from "../terminal/inspect.ts";
import { interruptible } from "../terminal/interruptible.ts";
import { showProgress } from "../terminal/progressLine.ts";
import { withOption, givenFiles } from "../terminal/given.ts";
import { exitCodes, printResult, type Io } from "../terminal/io.ts";
import { positive } from "../terminal/options.ts";
import { askInTerminal } from "../terminal/terminalPrompts.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";
import { prepareEvidence } from "./import.ts";
import { RunLines, summaryOf } from "./renderAttach.ts";

export const addAttach: AddVerb = (program, { io, cwd, exitWith }) => {
  program
    .command("attach <folder>")
    .description("follow a run that somebody else started: a folder, or host:folder over ssh; reads only")
    .option("--once", "look once, print how the run stands, and end", false)
    .option("--every <seconds>", "seconds between two looks; by default 1, and 2 on a host", positive)
    .option("--compare <version>", "compare with this version of the archive, at the same step")
    .option("--version <version>", "the version for the run; by default named after the folder")
    .option("--as <format>", "read every file in this format")
    .option("--pass-when <cel>", "what counts as solved if the source has no verdict, e.g. 'reward >= 1.0'")
    .addOption(
      new Option("--split <split>", "which rollouts; by default train if there are any").choices([
        "train",
        "selection",
      ]),
    )
    .addOption(withOption())
    .action(async (folder: string, o: AttachOptions) => exitWith(await attach(io(), cwd, folder, o)));
};

type AttachOptions = Given<{
  once: boolean;
  every?: number;
  with: readonly string[];
  compare?: string;
  version?: string;
  as?: string;
  passWhen?: string;
  split?: "train" | "selection";
}>;

/**
 * `evotrainer attach <folder>`: brings in what a run of somebody else writes, until it is interrupted, or with `once` as far
 * as it is. Writes nothing into the folder, and starts nothing on its host but commands that read.
 * @throws HarnessError notFound, badInput, cancelled, hostUnreachable, hostRefused, and those of the archive
 */
async function attach(io: Io, cwd: string, folder: string, options: AttachOptions): Promise<number> {
  askInTerminal();
  const { once, every: given, with: files, ...rest } = options;
  const root = await findEvidenceRoot(cwd);
  const target = await targetOf(root, cwd, folder);
  const every = given ?? (target.isRemote ? 2 : 1);
  await prepareEvidence(root);
  // Asked at once, because a misspelt name would be waited for as long as the run lasts.
  const compare =
    rest.compare === undefined
      ? {}
      : { compare: await inspect(cwd, async (inspection) => evidenceVersion(inspection, rest.compare)) };
  const choices: FollowChoices = { ...rest, ...compare, with: await givenFiles(io, { cwd, root }, files) };
  const attached = await Attached.open(root, target, choices);
  const lines = new RunLines(io);
  try {
    return await interruptible(goOn.attach, async (signal) => {
      if (once) {
        const now = await firstLook(io, attached, signal);
        if (now !== undefined) printResult(io, now, (shown) => summaryOf(io, shown));
        return (now?.alarms.length ?? 0) > 0 ? exitCodes.finding : exitCodes.success;
      }
      io.err(
        `Following ${inLine(target.shown)}, a look every ${every} s. Ctrl+C stops following; the run goes on.\n`,
      );
      await follow({ io, attached, lines, signal, every });
      throw new HarnessError("cancelled", `Stopped following ${target.shown}.`);
    });
  } finally {
    lines.end();
    await attached.close();
  }
}

interface Following {
  readonly io: Io;
  readonly attached: Attached;
  readonly lines: RunLines;
  readonly signal: AbortSignal;
  readonly every: number;
}

/** A look that says how far it is. */
const firstLook = (io: Io, attached: Attached, signal: AbortSignal): Promise<RunNow | undefined> =>
  attached.look(signal, (message) => showProgress(io, message)).finally(() => showProgress(io, ""));

/** Looks again and again until the signal is aborted; what fails for a while is said once and tried again. */
async function follow({ io, attached, lines, signal, every }: Following): Promise<void> {
  let begun = false;
  let failed = "";
  while (!signal.aborted) {
    const before = performance.now();
    try {
      // Only the first look reads what was written before, which may take a while.
      const now = begun ? await attached.look(signal) : await firstLook(io, attached, signal);
      begun = true;
      failed = "";
      if (now !== undefined) show(io, lines, now);
    } catch (e) {
      if (!begun || !passes(e)) throw e;
      if (failed !== e.message) lines.say(`! ${inLine(e.message)} Trying again.`);
      failed = e.message;
    }
    await restUntilNext(attached, Math.max(0, every * 1000 - (performance.now() - before)), signal);
  }
}

/** Waits so many milliseconds, or until totals are there to be shown. */
async function restUntilNext(attached: Attached, ms: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const wait = delay(ms, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(
    (e: unknown) => {
      if (codeOf(e) !== "ABORT_ERR") throw e;
    },
  );
  await Promise.race([wait, ...(attached.totalsCome === undefined ? [] : [attached.totalsCome])]);
  over.abort();
}

/** What may be otherwise at the next look: the host, the folder, another process that has the archive. */
const passes = (e: unknown): e is HarnessError =>
  (["hostUnreachable", "notFound", "storeBusy", "ownerLost"] as const).some((reason) =>
    HarnessError.is(e, reason),
  );

function show(io: Io, lines: RunLines, now: RunNow): void {
  if (io.json) io.out(`${jsonText(now)}\n`);
  else lines.show(now);
}
