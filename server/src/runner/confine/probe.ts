import { confinedCommand } from "./confinedCommand.ts";
import type { CanConfine, Confiner } from "./step.ts";

const none = (reason: string): CanConfine => ({ by: null, reason });

/** Says why namespaces were refused, as far as the machine tells. Gets what the refused program said. */
const explain = `explain() {
if [ "$(cat /proc/sys/user/max_user_namespaces 2>/dev/null)" = 0 ]; then say none "user namespaces are switched off (user.max_user_namespaces is 0)"
elif [ "$(cat /proc/sys/kernel/unprivileged_userns_clone 2>/dev/null)" = 0 ]; then say none "user namespaces are switched off (kernel.unprivileged_userns_clone is 0)"
elif [ "$(cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns 2>/dev/null)" = 1 ]; then say none "AppArmor keeps programs from making user namespaces (kernel.apparmor_restrict_unprivileged_userns is 1)"
else say none "$(printf '%s' "$1" | tail -n 1)"; fi
}`;

/**
 * Lines for a shell that confine a program that does nothing, as a job would be, and say by what that worked or why it did
 * not. \`scratch\` is a word for a folder in which that may leave something until it is over.
 */
export function probeScript(confiners: readonly Confiner[], scratch: string): string {
  const tries = confiners.map((confiner) => {
    const command = confinedCommand(
      { ...confiner, steps: [] },
      { scratch: '"$evo_scratch"', command: "/bin/sh -c 'echo confined'" },
    );
    const needed = confiner.by === "bwrap" ? "bwrap" : "unshare";
    return `if command -v ${needed} >/dev/null 2>&1; then
said=$( { ${command}
} 2>&1 </dev/null)
tidy
case $said in confined) say ${confiner.by} yes; exit 0 ;; esac
why=$said
fi`;
  });
  return `say() { printf 'evotrainer-confine %s %s\\n' "$1" "$(printf '%s' "$2" | tr '\\n' ' ')"; }
${explain}
evo_home=\${HOME-} evo_scratch=${scratch}.$$ why='unshare of util-linux is missing'
tidy() { chmod -R u+rwx "$evo_scratch" 2>/dev/null; rm -rf "$evo_scratch"; }
(
[ "$(uname -s)" = Linux ] || { say none "it does not run Linux"; exit 0; }
cd /
umask 077
${tries.join("\n")}
explain "$why"
)
`;
}

/** What a machine said to \`probeScript\`. */
export function readProbe(said: string, confiners: readonly Confiner[]): CanConfine {
  const [, by, reason = ""] = /^evotrainer-confine (\S+) (.*)$/m.exec(said) ?? [];
  const confiner = confiners.find((one) => one.by === by);
  if (confiner !== undefined) return confiner;
  const clean = reason
    .replace(/\p{C}+/gu, " ")
    .trim()
    .slice(0, 300);
  return none(clean === "" ? "it does not say whether it can" : clean);
}
