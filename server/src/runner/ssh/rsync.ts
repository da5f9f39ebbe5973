import { spawn } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { HarnessError } from "../../base/errors.ts";
import type { Bandwidth } from "./bandwidth.ts";
import type { TransferProgress } from "./fetchFiles.ts";
import { loginOver } from "./hostProcess.ts";
import { sshArguments, type SshRoute } from "./sshArguments.ts";
import { unreachable } from "./unreachable.ts";

let here: Promise<boolean> | undefined;

/** Whether this machine has rsync; asked once. */
export function hasRsync(): Promise<boolean> {
  here ??= new Promise((resolve) => {
    const child = spawn("rsync", ["--version"], { stdio: "ignore" });
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
  return here;
}

/** A word of rsync's option -e: it knows quotes, and two of them for one, but no backslashes. */
const word = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Copies a file or the content of a folder to an absolute path of the host with rsync on both sides; what an earlier attempt
 * left there is gone on from. Gives false where the two rsyncs cannot talk, as behind a profile that prints something.
 * @throws HarnessError hostUnreachable, hostRefused, diskFull
 */
export async function rsyncTo(
  route: SshRoute,
  from: string,
  to: string,
  options: { bandwidth: Bandwidth; onProgress?: (progress: TransferProgress) => void },
): Promise<boolean> {
  await loginOver(route);
  const ssh = sshArguments(route, "", { isMaster: false });
  const host = route.spec.ssh ?? route.name;
  const { bytesPerSecond } = options.bandwidth;
  const isFolder = (await stat(from)).isDirectory();
  const child = spawn(
    "rsync",
    [
      ...[
        "-rtL",
        "--partial",
        "--protect-args",
        "--timeout=60",
        "--info=progress2",
        "--chmod=Du=rwx,Fu=rw,go=",
      ],
      ...(bytesPerSecond === undefined
        ? []
        : [`--bwlimit=${Math.max(1, Math.floor(bytesPerSecond / 1024))}`]),
      ...["-e", [route.program ?? "ssh", ...ssh.slice(0, ssh.lastIndexOf("--"))].map(word).join(" ")],
      "--",
      isFolder ? `${from}/` : from,
      `${host.includes(":") ? `[${host}]` : host}:${to}${isFolder ? "/" : ""}`,
    ],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, LC_ALL: "C" } },
  );
  let said = "";
  child.stderr.on("data", (d: Buffer) => (said = (said + d.toString("utf8")).slice(-4096)));
  child.stdout.on("data", (d: Buffer) => {
    const [, bytes, percent] = /([\d,]+)\s+(\d{1,3})%[^%]*$/.exec(d.toString("latin1")) ?? [];
    if (bytes === undefined) return;
    const sent = Number(bytes.replaceAll(",", ""));
    options.onProgress?.({
      bytes: sent,
      total: Number(percent) === 0 ? null : Math.round((sent * 100) / Number(percent)),
    });
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return true;
  if (/No space left|Disk quota exceeded/.test(said))
    throw new HarnessError(
      "diskFull",
      `The disk of ${route.name} is full; \`evotrainer host clean ${route.name}\` removes what the host no longer needs.`,
    );
  // Cut off, silent, or never there; everything else is between the two rsyncs.
  if (code === null || [10, 12, 30, 35, 255].includes(code)) throw unreachable(route.name, said);
  return false;
}
