import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HostSpec, RaySpec } from "../../../../shared/spec/host.ts";
import { HarnessError } from "../../base/errors.ts";
import { skipBecause } from "../../../../test/support/base/skip.ts";
import type { SshRoute } from "../ssh/sshArguments.ts";
import { examineHost } from "../doctor/doctor.ts";
import { HostShell } from "../ssh/hostShell.ts";
import { hostProblem, startTestHost, type TestHost } from "../../../../test/support/ssh/host.ts";
import { until } from "../../../../test/support/runner/jobs.ts";
import { RayClient } from "./rayClient.ts";
import { startRecordedRay } from "../../../../test/support/ray/recordedRay.ts";

const local: SshRoute = { name: "head", spec: HostSpec.parse({ local: true, ray: {} }) };

describe("the client of Ray's dashboard", function () {
  this.timeout(60_000);
  const closing: (() => unknown)[] = [];
  let host: TestHost | undefined;
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  after(() => host?.stop());

  function clientOf(
    address: string,
    more: Partial<RaySpec> = {},
    options: { route?: SshRoute; environment?: Record<string, string>; patience?: number } = {},
  ): RayClient {
    const client = new RayClient({
      route: { ...(options.route ?? local), ray: RaySpec.parse({ ...more, address }) },
      patienceMilliseconds: options.patience ?? 5000,
      ...(options.environment === undefined ? {} : { environment: options.environment }),
    });
    closing.push(() => client.close());
    return client;
  }
  async function dashboard(listener: RequestListener): Promise<string> {
    const server: Server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const refusal = async (call: Promise<unknown>): Promise<HarnessError> => {
    const e = await call.then(
      () => assert.fail("it was refused"),
      (x: unknown) => x,
    );
    return HarnessError.is(e) ? e : assert.fail(String(e));
  };

  for (const [what, listener, reason] of [
    [
      "an endless answer",
      (_, response) => {
        response.writeHead(200);
        const more = (): void => {
          while (response.writable && response.write(Buffer.alloc(65_536, 32)));
        };
        response.on("drain", more);
        more();
      },
      "jobFailed",
    ],
    [
      "an answer that begins well and is far too long",
      (_, response) => response.end(`{"ray_version":"2.1.0"}${" ".repeat(1_000_000)}`),
      "jobFailed",
    ],
    ["a page that is not Ray's", (_, response) => response.end("<html>\u001b[2J hello</html>"), "jobFailed"],
    [
      "another server",
      (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
      "jobFailed",
    ],
    ["an invalid version", (_, response) => response.end('{"ray_version":"\\u001b[2J"}'), "jobFailed"],
    [
      "a proxy without a dashboard",
      (_, response) => response.writeHead(502).end("bad gateway"),
      "hostUnreachable",
    ],
    ["a connection that breaks", (request) => request.socket.destroy(), "hostUnreachable"],
    [
      "endless headers",
      (_, response) => void response.writeHead(200, { x: "y".repeat(100_000) }).end(),
      "hostUnreachable",
    ],
  ] satisfies [string, RequestListener, string][])
    it(`survives ${what}`, async () => {
      const before = process.memoryUsage().rss;
      const e = await refusal(clientOf(await dashboard(listener)).version());
      assert.equal(e.reason, reason);
      assert.match(e.message, /^(?:The server at|Ray's dashboard).*head/);
      assert.ok(!/\p{Cc}/u.test(e.message));
      assert.ok(process.memoryUsage().rss - before < 200 * 1024 ** 2);
    });

  it("waits no longer than its limit, however slowly the answer comes", async () => {
    const drip = await dashboard((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
    });
    const e = await refusal(clientOf(drip, {}, { patience: 300 }).version());
    assert.equal(e.reason, "hostUnreachable");
    const e2 = await refusal(clientOf("127.0.0.1:1").version());
    assert.match(e2.message, /does not answer at 127\.0\.0\.1:1 of the host head \(econnrefused\)/);
  });

  it("sends a token from the environment, and shows it to nobody", async () => {
    const ray = await startRecordedRay({ token: "t0ken-of-mine" });
    closing.push(() => ray.stop());
    const named = { tokenVariable: "RAY_AUTH_TOKEN" };
    const environment = { RAY_AUTH_TOKEN: "t0ken-of-mine\n" };
    assert.match(await clientOf(ray.address, named, { environment }).version(), /^2\./);
    const without = await refusal(clientOf(ray.address).version());
    assert.deepEqual([without.reason, /tokenVariable/.test(without.message)], ["hostRefused", true]);
    for (const value of ["wr0ng", "two lines\nx: y", "", undefined]) {
      const wrong = await refusal(
        clientOf(ray.address, named, {
          environment: value === undefined ? {} : { RAY_AUTH_TOKEN: value },
        }).version(),
      );
      assert.equal(wrong.reason, "hostRefused");
      assert.ok(!/wr0ng|two lines/.test(wrong.message));
    }
  });

  it("goes through ssh without opening a local port, even after a connection was cut", async function () {
    const problem = hostProblem();
    if (problem !== undefined) skipBecause(this, problem);
    host ??= await startTestHost();
    const ray = await startRecordedRay({ token: "t0ken-of-mine" });
    closing.push(() => ray.stop());
    const route = host.route();
    // Whose connection is shared, as it is in an engine.
    const shell = new HostShell(route);
    closing.push(() => shell.close());
    await shell.run("true");
    const client = clientOf(
      ray.address,
      { tokenVariable: "RAY_AUTH_TOKEN" },
      { route, environment: { RAY_AUTH_TOKEN: "t0ken-of-mine" } },
    );
    assert.equal(await client.job("none"), undefined);
    const list = (): string => execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
    const listed = list();
    assert.ok(listed.includes(`-W ${ray.address}`));
    assert.ok(!listed.includes("t0ken-of-mine"));
    host.proxy.reset();
    await until("the connection has ended", () => !list().includes(`-W ${ray.address}`));
    assert.match(await client.version(), /^2\./);
    const away = await refusal(clientOf("127.0.0.1:1", {}, { route }).version());
    assert.equal(away.reason, "hostUnreachable");
    assert.match(away.message, /Ray's dashboard does not answer at 127\.0\.0\.1:1 of the host testhost/);
  });

  it("is what the doctor uses", async () => {
    const ray = await startRecordedRay();
    closing.push(() => ray.stop());
    const about = async (address: string) => {
      const spec = HostSpec.parse({ local: true, directory: "/tmp/evo-doctor", gpus: 8, ray: { address } });
      const found = await examineHost({ name: "head", spec });
      assert.ok(!found.some((finding) => finding.about === "gpus"));
      return found.find((finding) => finding.about === "ray");
    };
    assert.deepEqual(await about(ray.address), {
      about: "ray",
      state: "good",
      found: `Ray 2.58.0 at ${ray.address}`,
      mend: null,
    });
    const bad = await about("127.0.0.1:1");
    assert.equal(bad?.state, "bad");
    assert.match(bad.found, /does not answer at 127\.0\.0\.1:1/);
  });
});
