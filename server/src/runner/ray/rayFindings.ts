import { HarnessError, messageOf } from "../../base/errors.ts";
import type { Finding } from "../ssh/doctor.ts";
import { RayClient } from "./rayClient.ts";
import type { RayRoute } from "./rayRoute.ts";

/** Whether Ray's dashboard answers, and takes questions about jobs. Changes nothing. */
export async function rayFindings(route: RayRoute): Promise<Finding[]> {
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
