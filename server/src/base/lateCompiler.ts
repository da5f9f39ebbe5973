import { setFlagsFromString } from "node:v8";

/** The newest Node whose V8 is known to have the setting. */
const newest = 24;

/**
 * Has V8 optimise only what runs for long. It begins with a function after some milliseconds of it, which in a process that
 * does a thousand different things once takes a tenth of its time and wins nothing; a computation of seconds notices no
 * difference.
 */
export function compileLate(): void {
  if (Number(process.versions.node.split(".")[0]) <= newest) setFlagsFromString("--interrupt-budget=1000000");
}
