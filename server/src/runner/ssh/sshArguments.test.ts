import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { HostSpec } from "../../../../shared/spec/host.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { ownFolder } from "./prompts/ownFolder.ts";
import { forwardArguments, sshArguments } from "./sshArguments.ts";

describe("ssh arguments", () => {
  const nasty = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,20}$/),
    fc.constantFrom("~/a b", "/x'y", "~/$(z)"),
    fc.constantFrom(
      "-oProxyCommand=touch x",
      "--",
      "a b",
      "$(x)",
      "`x`",
      "a\nb",
      "a'b",
      'a"b',
      "a\0b",
      "-",
      "a;b",
      "a|b",
      "a@b -o x",
    ),
  );

  it("never let a host, a user or a directory become an option or a shell word", () => {
    fc.assert(
      fc.property(nasty, nasty, nasty, (ssh, user, directory) => {
        for (const key of ["ssh", "user"] as const)
          if (/^-|[^\w.@:-]/.test({ ssh, user }[key]))
            assert.ok(!HostSpec.safeParse({ [key]: { ssh, user }[key] }).success);
        const parsed = HostSpec.safeParse({ ssh, user, directory });
        if (!parsed.success) return;
        const args = sshArguments({ name: "n", spec: parsed.data }, "exec sh -s");
        assert.deepEqual(args.slice(-3), ["--", ssh, "exec sh -s"]);
        assert.equal(args[args.indexOf("-l") + 1], user);
        assert.match(ssh, /^[A-Za-z0-9_][A-Za-z0-9._:-]*$/);
        assert.match(user, /^[A-Za-z0-9_]/);
      }),
      { numRuns: 500 },
    );
  });

  it("never switch off the check of host keys, and never use the user's control path", () => {
    const args = sshArguments({ name: "n", spec: HostSpec.parse({}) }, "x").join(" ");
    assert.doesNotMatch(args, /StrictHostKeyChecking|UserKnownHosts/);
    assert.match(args, /ControlPath=\S*(evotrainer-ssh|none)/);
    assert.match(args, /ServerAliveInterval=5/);
  });

  it("ask nobody where nobody answers, and take nothing of the user's configuration that runs or forwards anything", () => {
    const route = { name: "n", spec: HostSpec.parse({}) };
    assert.ok(sshArguments(route, "x").includes("BatchMode=yes"));
    assert.ok(!sshArguments(route, "x", { isMaster: true, answers: true }).join(" ").includes("BatchMode"));
    for (const option of ["PermitLocalCommand=no", "RemoteCommand=none", "ClearAllForwardings=yes"])
      assert.equal(sshArguments(route, "x").at(sshArguments(route, "x").indexOf(option) - 1), "-o", option);
  });

  it("have an address behind the dashes where a connection is passed on", () => {
    const { args } = forwardArguments({ name: "n", spec: HostSpec.parse({ ssh: "gpu1" }) }, "127.0.0.1:8265");
    assert.deepEqual(
      [args.slice(0, 3), args.slice(-2)],
      [
        ["-T", "-W", "127.0.0.1:8265"],
        ["--", "gpu1"],
      ],
    );
  });
});

describe("the folder for sockets", () => {
  const before = process.env["TMPDIR"];
  let folder = "";
  beforeEach(function () {
    if (process.platform === "win32") skipBecause(this, "Windows has no such folder");
    folder = mkdtempSync("/tmp/evo-");
    process.env["TMPDIR"] = folder;
  });
  afterEach(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(folder, { recursive: true, force: true });
  });

  it("is one that only its user can enter, or none", () => {
    const own = ownFolder() ?? assert.fail("there is one");
    assert.equal(statSync(own).mode & 0o777, 0o700);
    for (const mode of [0o770, 0o701]) {
      chmodSync(own, mode);
      assert.equal(ownFolder(), undefined, mode.toString(8));
    }
  });

  it("is none where somebody laid a link of its name", () => {
    mkdirSync(join(folder, "other"), { mode: 0o700 });
    symlinkSync("other", join(folder, `evotrainer-ssh-${userInfo().uid}`));
    assert.equal(ownFolder(), undefined);
  });
});
