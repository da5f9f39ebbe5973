import { shellWord } from "../../base/shellWord.ts";
import type { Confine } from "./step.ts";

/** What unshare starts: its first child is the first process of the new process namespace, and is signalled with the group. */
const outside = `trap : TERM INT HUP
sh -c "$0" evotrainer "$@"
exit $?`;

/**
 * Lines of the job's own shell, in place of \`exec "$@" COMMAND\`: the last of them becomes the job. \`scratch\` is a word of that
 * shell for a folder that the job alone uses; the keeper removes it. `evo_home` is the home folder of who runs it.
 */
export function confinedCommand(
  { by, script, steps }: Confine,
  { scratch, command }: { readonly scratch: string; readonly command: string },
): string {
  const lines = steps.map(({ what, path }) => `${what} ${path}\n`).join("");
  const own = `"$(id -u)" "$(id -g)" "$evo_home" ${scratch} ${shellWord(lines)} ${command}`;
  return by === "bwrap"
    ? `exec sh -c ${shellWord(script)} evotrainer ${own}\n`
    : `exec unshare -U -m -p -i --map-root-user /bin/sh -c ${shellWord(outside)} ${shellWord(script)} ${own}\n`;
}
