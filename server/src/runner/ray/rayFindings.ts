import { HarnessError, messageOf } from "../../base/errors.ts";
import { RayClient } from "./rayClient.ts";
import type { RayRoute } from "./rayRoute.ts";

/** What the doctor says of Ray. */
interface RayFinding {
  readonly about: "ray";
  readonly state: "good" | "bad";
  readonly found: string;
  readonly mend: string | null;
}

/** Whether Ray's dashboard answers, and takes questions about jobs. Changes nothing. */
export async function rayFindings(route: RayRoute): Promise<RayFinding[]> {
  const client = new RayClient({ route });
  try {
    const version = await client.version();
    // A job that nobody submits; the answer tells whether the Jobs API is there at all.
    await client.job("evo-doctor");
    return [{ about: "ray", state: "good", found: `Ray ${version} at ${route.ray.address}`, mend: null }];
  } catch (e) {
    if (!HarnessError.is(e)) throw e;
    return [
      {
        about: "ray",
        state: "bad",
        found: messageOf(e),
        mend: `Start the cluster with its dashboard (ray[default]), or correct hosts.${route.name}.ray: the address is as \`ssh ${route.spec.ssh ?? route.name}\` sees it, and sshd there has to allow TCP forwarding.`,
      },
    ];
  } finally {
    client.close();
  }
}
