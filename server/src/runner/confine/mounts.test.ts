import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keeperPath } from "../../../../test/support/runner/jobs.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { shellWord } from "../../base/shellWord.ts";
import { confinementHere } from "../job/confinementHere.ts";
import { confinedCommand } from "./confinedCommand.ts";
import type { Confine, Step } from "./step.ts";

const perl = "/usr/bin/perl";

/** What stands in for Perl, and whether the mounts are then made by Perl. */
const servers: Readonly<Record<string, string>> = {
  "there is no Perl": "exit 127",
  "Perl does not start": "echo broken >&2; exit 2",
  "the kernel has not got the calls": `while read -r _; do echo "Function not implemented"; done`,
  "Perl dies after it was asked": `read -r _; echo ok`,
  "each mount is refused to it": `refuse() { while [ "$1" -gt 0 ]; do read -r _; set -- $(($1 - 1)); done; echo "Operation not permitted"; }
read -r _ && echo ok
while read -r word; do case $word in ro | dir) refuse 1 ;; fs) refuse 3 ;; *) refuse 2 ;; esac; done`,
};

describe("what a confined job sees is the same", function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), "evo mounts "));
  let confine: Confine;
  let made = 0;
  before(async function () {
    if (!existsSync(perl)) skipBecause(this, "this machine has no Perl");
    for (const name of ["hidden", "kept", "shown"]) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "file"), name);
    }
    const can = await confinementHere(join(folder, "runs"), keeperPath);
    if (can.by === null) skipBecause(this, `this machine cannot confine jobs: ${can.reason}`);
    const steps = (["hide", "keep", "show"] as const).map((what, at): Step => ({
      what,
      path: join(folder, ["hidden", "kept", "shown"][at] ?? ""),
    }));
    confine = { ...can, steps };
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Mount points with their flags, in order, as the job sees them, and what it can write. */
  function seen(path: string): string[] {
    // In the list of mounts a blank is \\040, and a digit after it is not part of it.
    const scratch = join(folder, `scratch ${++made}`);
    const job = `cut -d ' ' -f 4-6,9- /proc/self/mountinfo; cd ${shellWord(folder)}; for p in hidden kept shown; do ls $p; touch $p/new 2>/dev/null && echo "$p can be written" && rm $p/new; done; ls /dev; ls /proc/self/fd | wc -l`;
    const command = confinedCommand(confine, {
      scratch: shellWord(scratch),
      command: `/bin/sh -c ${shellWord(job)}`,
    });
    const said = execFileSync("/bin/sh", ["-c", `evo_home=$HOME\numask 077\n${command}`], {
      env: { ...process.env, PATH: path, HOME: process.env["HOME"] ?? "/" },
      cwd: "/",
      encoding: "utf8",
    });
    return said.replaceAll(`scratch\\040${made}`, "scratch").split("\n");
  }

  for (const [when, script] of Object.entries(servers))
    it(`when ${when}`, () => {
      const bin = join(folder, `bin ${made}`);
      mkdirSync(bin);
      writeFileSync(join(bin, "perl"), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, "perl"), 0o755);
      const system = "/usr/sbin:/usr/bin:/sbin:/bin";
      const expected = seen(system);
      assert.match(expected[0] ?? "", /^\/ \/ ro,/);
      assert.deepEqual(
        expected.filter((line) => line.endsWith("written")),
        ["kept can be written"],
      );
      assert.deepEqual(seen(`${bin}:${system}`), expected);
    });
});
