import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { skipBecause } from "../../support/base/skip.ts";
import { hostProblem, startTestHost, type TestHost } from "../../support/ssh/host.ts";
import { makeToyProject } from "../../engine/toyProject.ts";
import { createProfile, type Profile } from "../launcher/profile.ts";
import { EditorSession, keepFailures } from "../launcher/session.ts";
import { until, type Workbench } from "../launcher/workbench.ts";
import { patience } from "../../support/base/patience.ts";
import { removeInUse } from "../../support/base/removeInUse.ts";

const secret = "very-secret-passphrase";

const filesWith = (text: string, folder: string): string =>
  execFileSync("sh", ["-c", 'grep -rlaF "$1" "$2" || :', "sh", text, folder], { encoding: "utf8" });

describe("hosts in the editor", function () {
  this.timeout(180_000);
  let host: TestHost | undefined;
  let profile: Profile;
  let session: EditorSession | undefined;
  let bench: Workbench;
  let root = "";

  before(async function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    // Everything that a login can ask: a key that is not known yet, and a passphrase.
    host = await startTestHost({
      passphrase: secret,
      unknown: true,
      // Where the trainer finds Node.
      environment: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
    });
    profile = createProfile({ "evotrainer.trace.server": "verbose" });
    root = makeToyProject();
    session = await EditorSession.start({
      profile,
      args: ["--log", "trace"],
      env: { EVOTRAINER_SSH_CONFIG: join(host.root, "ssh_config") },
    });
    ({ bench } = await session.open(root));
    await bench.ready("evotrainer.yaml");
  });
  after(async () => {
    await session?.stop();
    if (root !== "") await removeInUse(root);
    await host?.stop();
  });
  keepFailures(() => bench);

  const input = () => bench.page.locator(".quick-input-widget .quick-input-box input");
  const row = (text: string) =>
    bench.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
  const dialog = () => bench.page.locator(".monaco-dialog-box");
  const lines = (text: string | RegExp) =>
    bench.page.locator(".view-lines .view-line", { hasText: text }).first();

  it("adds a host from the ssh configuration to evotrainer.yaml, and asks what ssh asks", async () => {
    await bench.page
      .locator(".explorer-folders-view .monaco-list-row", { hasText: "evotrainer.yaml" })
      .waitFor();
    await bench.begin("EvoTrainer: Add Host…");
    await row("testhost").waitFor();
    await bench.shot("hosts-candidates");
    await row("testhost").click();
    await row("evotrainer.yaml").waitFor();
    await bench.shot("hosts-place");
    await row("evotrainer.yaml").click();
    // The key of the server, as ssh shows it.
    await dialog().waitFor();
    const fingerprint =
      /SHA256:\S+/.exec(
        execFileSync("ssh-keygen", ["-lf", join(host?.root ?? "", "host_key.pub")], { encoding: "utf8" }),
      )?.[0] ?? assert.fail("the key has a fingerprint");
    await dialog().filter({ hasText: fingerprint }).waitFor();
    await bench.shot("hosts-key");
    await dialog().getByRole("button", { name: "Trust and Connect" }).click();
    await bench.page.locator(".quick-input-widget", { hasText: "Enter passphrase for key" }).waitFor();
    assert.equal(await input().getAttribute("type"), "password");
    await input().fill("wrong");
    await bench.page.keyboard.press("Enter");
    await bench.page.locator(".quick-input-widget", { hasText: "ssh did not accept that" }).waitFor();
    await bench.shot("hosts-passphrase");
    await input().fill(secret);
    await bench.page.keyboard.press("Enter");
    await lines(/ok\s+login/).waitFor({ timeout: 60_000 * patience });
    await lines(/ok\s+keeper\s+ran\sa\sjob/).waitFor();
    await bench.shot("hosts-report");
    assert.match(readFileSync(join(root, "evotrainer.yaml"), "utf8"), /\nhosts:\n {2}testhost: \{\}\n$/);
  });

  it("leaves no answer in any file of the editor or the project, even when everything is traced", () => {
    assert.equal(filesWith(secret, profile.folder), "");
    assert.equal(filesWith(secret, root), "");
    const traced = filesWith("evotrainer/prompt", profile.userData);
    assert.notEqual(traced, "", "the protocol was traced");
  });

  it("says what to do when the user leaves a question unanswered", async () => {
    await bench.command("View: Close All Editors");
    await bench.commandThatAsks("EvoTrainer: Check Host…", "testhost");
    await bench.page.locator(".quick-input-widget", { hasText: "Enter passphrase for key" }).waitFor();
    await bench.page.keyboard.press("Escape");
    await lines(/BAD\s+login/).waitFor({ timeout: 60_000 * patience });
    await lines(/answer\swhat\sssh\sasks/).waitFor();
    await bench.shot("hosts-left");
  });

  it("writes a host into the user's settings, where the engine finds it", async () => {
    writeFileSync(
      join(root, "evotrainer.yaml"),
      readFileSync(join(root, "evotrainer.yaml"), "utf8").replace(/hosts:\n.*\n/, ""),
    );
    await bench.command("View: Close All Editors");
    await bench.begin("EvoTrainer: Add Host…");
    await row("testhost").click();
    await row("User settings").click();
    await bench.page.locator(".quick-input-widget", { hasText: "Enter passphrase for key" }).waitFor();
    await input().fill(secret);
    await bench.page.keyboard.press("Enter");
    await lines(/ok\s+login/).waitFor({ timeout: 60_000 * patience });
    const settings = ["User", "Machine"]
      .map((folder) => join(profile.userData, folder, "settings.json"))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, "utf8"))
      .join("\n");
    assert.match(settings, /"evotrainer\.hosts":\s*\{\s*"testhost":\s*\{\}/);
    assert.doesNotMatch(readFileSync(join(root, "evotrainer.yaml"), "utf8"), /testhost/);
    await until("the evolution may run there", async () => {
      await bench.begin("EvoTrainer: Check Host…");
      const there = await row("user settings").isVisible();
      await bench.page.keyboard.press("Escape");
      return there;
    });
  });

  it("passes on questions for an evolution in the background, which also knows the hosts in the settings", async () => {
    await bench.page.keyboard.press("Escape");
    await bench.commandThatAsks("EvoTrainer: Run a Generation", "testhost");
    await bench.page
      .locator(".quick-input-widget", { hasText: "Enter passphrase for key" })
      .waitFor({ timeout: 60_000 * patience });
    await bench.shot("hosts-evolution");
    await input().fill(secret);
    await bench.page.keyboard.press("Enter");
    const Record = z.object({ host: z.string(), ended: z.object({ how: z.string() }).nullable() });
    const record = () =>
      Record.parse(JSON.parse(readFileSync(join(root, ".evotrainer/evolution.json"), "utf8")));
    for (let round = 0; round < 4 && record().ended === null; round++)
      await until("the evolution has ended", () => record().ended !== null).catch(() => undefined);
    assert.deepEqual([record().host, record().ended?.how], ["testhost", "done"]);
    assert.equal(filesWith(secret, root), "");
    assert.equal(filesWith(secret, profile.folder), "");
  });
});
