import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { release } from "../../base/release.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import { isAlive, readOwnerFile } from "../workspace/ownerFile.ts";
import { eventually, makePlace } from "../../../../test/support/owner/ownerProcess.ts";
import { testServices } from "../../../../test/support/owner/services.ts";
import { keepEngine, withServices } from "./withEngine.ts";

describe("one owner per archive", function () {
  this.timeout(60_000);
  let at: Awaited<ReturnType<typeof makePlace>>;
  beforeEach(async () => {
    at = await makePlace();
  });
  afterEach(() => at.remove());

  it("answers a second process, which never opens the archive itself", async () => {
    const first = at.start("verb");
    await first.said("open");
    const second = at.start("verb");
    assert.equal(await second.owner(), first.pid);
    assert.equal(await first.owner(), first.pid);
    assert.deepEqual((await second.ask("rollouts").answer).result, { n: 0 });
    const text = "long ☃ ".repeat(300_000);
    const { result } = await second.ask("size", { text }).answer;
    assert.deepEqual(result, { characters: text.length, text });
  });

  it("is the next caller after the owner was killed with -9, and removes what the dead owner left", async () => {
    const first = at.start("verb");
    await first.said("open");
    const second = at.start("verb");
    assert.equal(await second.owner(), first.pid);
    const left = await readOwnerFile(at.place.archive);
    assert.ok(left && existsSync(left.address));
    await first.kill();
    assert.ok(existsSync(left.address), "a killed owner cannot remove its socket");
    assert.equal(await second.owner(), second.pid);
    assert.ok(!existsSync(left.address), "the stale socket is gone");
    const third = at.start("verb");
    assert.equal(await third.owner(), second.pid);
  });

  it("repeats a request when the owner was killed during it", async () => {
    const first = at.start("verb");
    await first.said("open");
    const second = at.start("verb");
    const { began, answer } = second.ask("wait", { until: at.file("go") });
    await began;
    await first.kill();
    await writeFile(at.file("go"), "");
    assert.deepEqual((await answer).result, { pid: second.pid });
  });

  it("refuses to repeat a request that must not run twice, and says why", async () => {
    const first = at.start("verb");
    await first.said("open");
    const second = at.start("verb");
    const { began, answer } = second.ask("waitOnce", { until: at.file("go") });
    await began;
    await first.kill();
    const { error } = await answer;
    assert.equal(error?.reason, "ownerLost");
    assert.match(error.message, /ended while it worked on waitOnce.*run it again\.$/);
    assert.equal(await second.owner(), second.pid, "and the next request finds an owner");
  });

  it("is exactly one of several processes that race for it", async () => {
    const first = at.start("evolve");
    await first.said("open");
    const racers = [1, 2, 3].map(() => at.start("verb"));
    for (const racer of racers) assert.equal(await racer.owner(), first.pid);
    await first.kill();
    const owners = await Promise.all(racers.map((r) => r.owner()));
    assert.equal(new Set(owners).size, 1, owners.join());
    assert.ok(racers.some((r) => r.pid === owners[0]));
    // Racers that start on an archive without an owner come to the same.
    for (const racer of racers) await racer.kill();
    const fresh = [1, 2].map(() => at.start("verb"));
    const [a, b] = await Promise.all(fresh.map((r) => r.owner()));
    assert.equal(a, b);
  });

  it("answers pending requests before it closes, and then leaves the archive to the next process", async () => {
    const first = at.start("verb");
    await first.said("open");
    const second = at.start("verb");
    const { began, answer } = second.ask("wait", { until: at.file("go") });
    await began;
    first.end();
    const late = at.start("verb"); // It asks while the owner is closing.
    assert.ok(isAlive(first.pid));
    await writeFile(at.file("go"), "");
    assert.deepEqual((await answer).result, { pid: first.pid });
    await first.said("done");
    const [a, b] = await Promise.all([second.owner(), late.owner()]);
    assert.equal(a, b);
    assert.ok(a === second.pid || a === late.pid);
  });

  it("passes errors on unchanged", async () => {
    const owner = await keepEngine(at.place, { role: "evolve", services: testServices });
    try {
      await withServices(testServices, at.place, async (engine) => {
        await assert.rejects(engine.request("fail", { how: "harness" }), (e) => {
          assert.ok(HarnessError.is(e, "notFound"));
          assert.equal(e.message, `There is nothing in ${at.place.root}.`);
          return true;
        });
        await assert.rejects(engine.request("fail", { how: "fault" }), (e) => {
          assert.ok(e instanceof Error && !HarnessError.is(e));
          assert.match(e.stack ?? "", /a fault of the service\n.*services[^]*in the process that owns/);
          return true;
        });
        await assert.rejects(
          engine.request("limit", { most: 0 }),
          (e) => HarnessError.is(e, "badInput") && /limit cannot be answered: most: /.test(e.message),
        );
        assert.deepEqual(await engine.request("who", {}), { pid: process.pid });
      });
      await withServices({ ...testServices, other: testServices.who }, at.place, (engine) =>
        assert.rejects(
          engine.request("other", {}),
          (e) => HarnessError.is(e, "badInput") && /"other"/.test(e.message),
        ),
      );
    } finally {
      await owner.close();
    }
  });

  for (const where of ["here", "at the owner"] as const)
    it(`cancels a request that runs ${where}, and reports its progress`, async () => {
      const owner =
        where === "here" ? undefined : await keepEngine(at.place, { role: "evolve", services: testServices });
      const until = at.file("go");
      await withServices(testServices, at.place, async (engine) => {
        const stop = new AbortController();
        const reports: object[] = [];
        const progress = (report: object): void => {
          reports.push(report);
          stop.abort();
        };
        await assert.rejects(engine.request("wait", { until }, { signal: stop.signal, progress }), (e) =>
          HarnessError.is(e, "cancelled"),
        );
        assert.deepEqual(reports, [{ message: "began", done: 0, total: 1 }]);
        await eventually("the service notices", () => existsSync(`${until}.aborted`));
      });
      await owner?.close();
    });

  it("stops working for a client that has gone away", async () => {
    const first = at.start("evolve");
    await first.said("open");
    const second = at.start("verb");
    const until = at.file("go");
    await second.ask("wait", { until }).began;
    await second.kill();
    await eventually("the service notices", () => existsSync(`${until}.aborted`));
    assert.equal(await at.start("verb").owner(), first.pid);
  });

  it("ends even if a client died in the middle of a message", async () => {
    const first = at.start("verb");
    await first.said("open");
    const found = await readOwnerFile(at.place.archive);
    assert.ok(found);
    const socket = connect(found.address);
    await new Promise((resolve) => socket.write("Content-Length: 100\r\n\r\n{", resolve));
    assert.equal(await first.owner(), first.pid);
    socket.destroy();
    first.end();
    await first.said("done");
    await first.exited;
  });

  it("names both releases when they differ", async () => {
    const first = at.start("evolve", { EVOTRAINER_VERSION: "9.8.7" });
    await first.said("open");
    const { error } = await at.start("verb").said("error");
    assert.equal(error?.reason, "releaseMismatch");
    assert.match(
      error.message,
      new RegExp(`\\(pid ${first.pid}\\) is evotrainer 9\\.8\\.7 .* this is evotrainer ${release} `),
    );
  });

  it("says who holds the archive when the holder is not a reachable engine", async () => {
    const first = at.start("stranger");
    await first.said("open");
    const { error } = await at.start("verb").said("error");
    assert.equal(error?.reason, "storeBusy");
    assert.match(
      error.message,
      new RegExp(`Another engine \\(pid ${first.pid}\\) owns this workspace's archive`),
    );
  });

  it("says the same when the owner accepts connections but never answers", async function () {
    if (process.platform === "win32") skipBecause(this, "Windows cannot stop a process");
    const first = at.start("evolve");
    await first.said("open");
    process.kill(first.pid, "SIGSTOP");
    const patience = { helloMs: 200, engineMs: 300, strangerMs: 300 };
    await assert.rejects(
      withServices(testServices, at.place, (engine) => engine.request("who", {}), { patience }),
      (e) => HarnessError.is(e, "storeBusy") && e.message.includes(`(pid ${first.pid})`),
    );
    process.kill(first.pid, "SIGCONT");
    assert.equal(await at.start("verb").owner(), first.pid);
  });

  it("lets only one process evolve at a time, and lets an evolution wait for a command", async () => {
    const first = at.start("evolve");
    await first.said("open");
    const { error } = await at.start("evolve").said("error");
    assert.equal(error?.reason, "storeBusy");
    assert.match(error.message, new RegExp(`Another engine \\(pid ${first.pid}\\).*run again\\.$`));
    await first.kill();
    const verb = at.start("verb");
    await verb.said("open");
    const next = at.start("evolve");
    // It has asked the verb at least once when that one answers another process that started later.
    assert.equal(await at.start("verb").owner(), verb.pid);
    verb.end();
    await next.said("open");
    assert.equal(await at.start("verb").owner(), next.pid);
  });

  it("keeps its token and socket private to its user, and trusts no file that others could have written", async function () {
    if (process.platform === "win32") skipBecause(this, "files have no mode on Windows");
    const first = at.start("evolve");
    await first.said("open");
    const file = `${dirname(at.place.archive)}/owner.json`;
    const found = await readOwnerFile(at.place.archive);
    assert.ok(found);
    const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
    assert.equal(await mode(file), "600");
    assert.equal(await mode(found.address), "600");
    assert.equal(await mode(dirname(found.address)), "700");
    assert.equal(await mode(dirname(at.place.archive)), "700");
    assert.ok(Buffer.byteLength(found.address) <= 103, found.address);
    for (const [how, spoil] of [
      ["readable by others", () => chmod(file, 0o644)],
      ["writable by the group", () => chmod(file, 0o620)],
      ["torn", async () => writeFile(file, (await readFile(file, "utf8")).slice(0, 40), { mode: 0o600 })],
    ] as const) {
      await spoil();
      assert.equal(await readOwnerFile(at.place.archive), undefined, how);
      await chmod(file, 0o600);
    }
  });
});
