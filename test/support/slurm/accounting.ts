import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { until } from "../runner/jobs.ts";
import { freePorts, type TestSlurmOptions } from "./slurm.ts";

const programs = ["/usr/sbin/slurmdbd", "/usr/sbin/mariadbd", "/usr/bin/mariadb-install-db"];

/** Why Slurm can have no accounting here; undefined where it can. */
export function accountingProblem(): string | undefined {
  const missing = programs.find((file) => !existsSync(file));
  return missing === undefined ? undefined : `there is no ${missing}; install slurmdbd and mariadb-server`;
}

/** A private database and slurmdbd for a private Slurm, which then has accounting. */
export async function withAccounting(): Promise<TestSlurmOptions> {
  const [database = 0, daemon = 0] = await freePorts(2);
  return {
    configuration: (root) => ({
      AccountingStorageType: "accounting_storage/slurmdbd",
      AccountingStorageHost: "localhost",
      AccountingStoragePort: String(daemon),
      AccountingStorageTRES: "gres/gpu",
      // The controller then forgets ended jobs as quickly as it can.
      MinJobAge: "2",
      AccountingStoragePass: join(root, "munge.sock"),
    }),
    beforeController: async (root) => {
      const data = join(root, "database");
      mkdirSync(data);
      const account = /^mysql:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"));
      chownSync(data, Number(account?.[1] ?? 0), Number(account?.[2] ?? 0));
      execFileSync(
        "/usr/bin/mariadb-install-db",
        ["--no-defaults", "--user=mysql", `--datadir=${data}`, "--skip-test-db"],
        { stdio: "ignore" },
      );
      const socket = join(data, "own.sock");
      const server = spawn(
        "/usr/sbin/mariadbd",
        [
          "--no-defaults",
          "--user=mysql",
          `--datadir=${data}`,
          `--socket=${socket}`,
          "--bind-address=127.0.0.1",
          `--port=${database}`,
          "--skip-name-resolve",
          "--innodb-buffer-pool-size=64M",
        ],
        { stdio: "ignore" },
      );
      await until("the database answers", () => answers(database), 60);
      execFileSync("mariadb", ["--no-defaults", `--socket=${socket}`], {
        input:
          "create database slurm_acct_db; create user slurm@'127.0.0.1' identified by 'x'; grant all on slurm_acct_db.* to slurm@'127.0.0.1';",
      });
      writeFileSync(
        join(root, "slurmdbd.conf"),
        `AuthType=auth/munge
AuthInfo=socket=${root}/munge.sock
DbdHost=localhost
DbdPort=${daemon}
SlurmUser=root
PidFile=${root}/slurmdbd.pid
LogFile=${root}/slurmdbd.log
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=${database}
StorageUser=slurm
StoragePass=x
StorageLoc=slurm_acct_db
`,
        { mode: 0o600 },
      );
      // Slurmdbd reads a separate file beside the cluster's.
      execFileSync("/usr/sbin/slurmdbd", { env: { ...process.env, SLURM_CONF: join(root, "slurm.conf") } });
      await until("slurmdbd answers", () => answers(daemon), 60);
      return async () => {
        process.kill(Number(readFileSync(join(root, "slurmdbd.pid"), "utf8")), "SIGKILL");
        server.kill("SIGKILL");
        if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
      };
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1" });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
