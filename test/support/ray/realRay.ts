import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { HostSpec, RaySpec } from "../../../shared/spec/host.ts";
import { HarnessError } from "../../../server/src/base/errors.ts";
import { processesOf, until } from "../runner/jobs.ts";
import { RayClient } from "../../../server/src/runner/ray/rayClient.ts";
import type { TestRay } from "./startRay.ts";

/** Why no Ray can be started here; undefined where it can. */
export function rayProblem(): string | undefined {
  if (process.platform !== "linux") return "the private Ray of the tests needs Linux";
  return process.env["EVOTRAINER_RAY_PYTHON"] === undefined && running() === undefined
    ? "EVOTRAINER_RAY_PYTHON names no Python with ray[default]"
    : undefined;
}

/** The address of a running Ray, with two GPUs and the variable OF_THE_NODE: it saves the tests a slow start. */
const running = (): string | undefined => process.env["EVOTRAINER_RAY_ADDRESS"];

/** A private Ray of one node with four processors and two pretended GPUs. */
export async function startRealRay(): Promise<TestRay> {
  const address = running();
  if (address !== undefined) return { ...handles(address), stop: () => Promise.resolve() };
  // A short path, because sockets are in it; ports outside 10002 to 19999, where Ray's workers listen.
  const root = mkdtempSync("/tmp/evoray-");
  const [gcs, dashboard, agent, agentGrpc, client, metrics] = await freePorts(6);
  const python = process.env["EVOTRAINER_RAY_PYTHON"] ?? "";
  const child = spawn(
    python,
    [
      "-m",
      "ray.scripts.scripts",
      "start",
      "--head",
      "--disable-usage-stats",
      "--include-dashboard=true",
      "--dashboard-host=127.0.0.1",
      "--node-ip-address=127.0.0.1",
      `--port=${gcs}`,
      `--dashboard-port=${dashboard}`,
      `--dashboard-agent-listen-port=${agent}`,
      `--dashboard-agent-grpc-port=${agentGrpc}`,
      `--ray-client-server-port=${client}`,
      `--metrics-export-port=${metrics}`,
      "--num-cpus=4",
      "--num-gpus=2",
      "--object-store-memory=100000000",
      `--temp-dir=${root}`,
    ],
    {
      cwd: root,
      stdio: "ignore",
      env: {
        PATH: `${dirname(python)}:${process.env["PATH"] ?? ""}`,
        HOME: process.env["HOME"],
        RAY_enable_metrics_collection: "0",
        // Ray starts slowly on a machine that is busy with other tests.
        RAY_DASHBOARD_SUBPROCESS_MODULE_WAIT_READY_TIMEOUT: "150",
        RAY_DASHBOARD_STARTUP_TIMEOUT_S: "150",
        RAY_worker_register_timeout_seconds: "150",
        OF_THE_NODE: "node",
      },
    },
  );
  const ours = (): { pid: number; command: string }[] => processesOf(root);
  try {
    await until("Ray has started", () => child.exitCode !== null, 200);
    if (child.exitCode !== 0) throw new Error(`Ray did not start: ${child.exitCode ?? ""}`);
    await until("Ray runs a job", () => isRunning(`127.0.0.1:${dashboard}`), 120);
  } catch (e) {
    for (const { pid } of ours()) process.kill(pid, "SIGKILL");
    throw e;
  }
  return {
    ...handles(`127.0.0.1:${dashboard}`),
    stop: async () => {
      // Some of Ray's processes restart others.
      await until("Ray has ended", () => {
        const left = ours();
        for (const { pid } of left)
          try {
            process.kill(pid, "SIGKILL");
          } catch {
            // It ended in between.
          }
        return left.length === 0;
      });
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What tests can do with any Ray on this machine. */
function handles(address: string): Omit<TestRay, "stop"> {
  return {
    address,
    endSupervisor: (directory) => {
      const [entry] = processesOf(directory).filter(({ command }) => /keeper\S*\.sh ray /.test(command));
      if (entry === undefined) throw new Error("It does not run.");
      const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${entry.pid}/stat`, "utf8"))?.[1];
      process.kill(Number(parent), "SIGKILL");
    },
    dashboard: async (state) => {
      const port = `--port=${address.split(":")[1] ?? ""} `;
      for (const { pid, command } of processesOf("dashboard.py"))
        if (command.includes(port)) process.kill(pid, state === "down" ? "SIGSTOP" : "SIGCONT");
      await Promise.resolve();
    },
  };
}

/** Whether a job succeeds. A job that was submitted before all of Ray was up may fail: then the next one is tried. */
async function isRunning(address: string): Promise<boolean> {
  // Not with fetch, because Ray takes its headers for those of a browser.
  const spec = HostSpec.parse({ local: true, ray: {} });
  const client = new RayClient({ route: { name: "head", spec, ray: RaySpec.parse({ address }) } });
  const id = `first-${randomBytes(4).toString("hex")}`;
  try {
    if ((await client.submit({ submission_id: id, entrypoint: "true" })) !== "new") return false;
    for (;;) {
      const status = (await client.job(id))?.status;
      if (status === "SUCCEEDED") return true;
      if (status !== "PENDING" && status !== "RUNNING") return false;
      await delay(100);
    }
  } catch (e) {
    if (HarnessError.is(e, "hostUnreachable")) return false;
    throw e;
  } finally {
    client.close();
  }
}

async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    if (port >= 20_000 && !ports.includes(port)) ports.push(port);
    server.close();
    await once(server, "close");
  }
  return ports;
}
