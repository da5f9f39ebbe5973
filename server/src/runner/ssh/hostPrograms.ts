import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, posix } from "node:path";
import { posixChecksum } from "../keeper/payload.ts";

/** Paths of the shell scripts that a host needs: on this machine, or as they are installed there. */
export interface HostPrograms {
  readonly keeper: string;
  readonly slurm: string;
}

interface Program {
  /** Holds the hash of the content, so that engines of different releases do not replace each other's. */
  readonly name: string;
  readonly content: Buffer;
  readonly hash: string;
}

function read(path: string): Program {
  const content = readFileSync(path);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  return { name: `${basename(path, ".sh")}-${hash}.sh`, content, hash };
}

/** The script that installs the programs in the folder `$k` of a host, and where they lie then. */
export function installation(programs: HostPrograms): {
  readonly script: string;
  readonly installedIn: (folder: string) => HostPrograms;
} {
  const keeper = read(programs.keeper);
  const slurm = read(programs.slurm);
  return {
    script: [keeper, slurm].map(install).join(""),
    installedIn: (folder) => ({
      keeper: posix.join(folder, keeper.name),
      slurm: posix.join(folder, slurm.name),
    }),
  };
}

const install = ({ name, content, hash }: Program): string => `p="$k"/${name}
if [ "$(cksum <"$p" 2>/dev/null)" != '${posixChecksum(content)} ${content.length}' ]; then
cat >"$p.$$" <<'END_${hash}' && mv -f "$p.$$" "$p" || exit 1
${content.toString("utf8")}END_${hash}
fi
`;
