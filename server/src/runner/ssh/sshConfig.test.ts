import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namedHosts, resolveHost, resolveHosts } from "./sshConfig.ts";

describe("the ssh configuration", () => {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "evotrainer sshconfig "));
    mkdirSync(join(folder, "conf.d"));
    writeFileSync(
      join(folder, "config"),
      `# Host commented
Include "${folder}/conf.d/*.conf" "${folder}/missing"
Host gpu1 gpu2 *.lab !gpu3 gpu?
  HostName 10.0.0.7
  User ada
  port=2222
HOST="login.lab.example"
\tHostName login.lab.example # its own name
Host "quoted" -oProxyCommand=x a;b # last
Match host gpu1
  ProxyJump login.lab.example
Host *
  User nobody
`,
    );
    writeFileSync(join(folder, "conf.d", "10-a.conf"), `Host inner\n  Include "${folder}/conf.d/deep.inc"\n`);
    writeFileSync(join(folder, "conf.d", "deep.inc"), `Host deep gpu1\nInclude "${folder}/config"\n`);
    writeFileSync(join(folder, "conf.d", ".hidden.conf"), "Host hidden\n");
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("lists hosts in the order in which ssh reads them, with included files, and without patterns", async () => {
    assert.deepEqual(await namedHosts(join(folder, "config")), [
      "inner",
      "deep",
      "gpu1",
      "gpu2",
      "login.lab.example",
      "quoted",
    ]);
    assert.deepEqual(await namedHosts(join(folder, "nothing")), []);
  });

  it("is resolved by ssh itself", async () => {
    // The names that it includes itself for ever are for the list only.
    const config = join(folder, "plain");
    writeFileSync(config, "Host gpu1\n  HostName 10.0.0.7\n  User ada\n  Port 2222\n  ProxyJump login\n");
    const resolved = { user: "ada", address: "10.0.0.7", port: 2222, jump: "login" };
    assert.deepEqual(await resolveHost({ config }, "gpu1"), resolved);
    const several = await resolveHosts({ config }, ["gpu1", "a.example", "b", "c", "d"]);
    assert.deepEqual(several.get("gpu1"), resolved);
    assert.equal(several.get("a.example")?.address, "a.example");
    assert.equal(several.get("d")?.jump, null);
    assert.equal(await resolveHost({ config: join(folder, "nothing") }, "gpu1"), undefined);
    assert.equal(await resolveHost({ program: join(folder, "no-ssh") }, "gpu1"), undefined);
  });
});
