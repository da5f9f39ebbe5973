import { spawn } from "node:child_process";
import { Agent } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { RaySpec } from "../../../../shared/spec/host.ts";
import { HarnessError } from "../../base/errors.ts";
import { forwardArguments, type SshRoute } from "../ssh/sshArguments.ts";
import { unreachable } from "../ssh/unreachable.ts";
import { ProcessStream } from "./processStream.ts";

/** A route to a host whose jobs go to Ray. */
export interface RayRoute extends SshRoute {
  readonly ray: RaySpec;
}

/** What ssh says when it has reached the host, but the host not the dashboard. */
const notForwarded = /stdio forwarding|open failed|forwarding request failed|administratively prohibited/i;

/** The error for a dashboard that cannot be reached, from what was said. */
export function dashboardAway({ name, ray }: RayRoute, said: string): HarnessError {
  const why =
    /Connection refused|ECONNREFUSED|administratively prohibited|No route to host|timed? ?out/i.exec(
      said,
    )?.[0];
  return new HarnessError(
    "hostUnreachable",
    `Ray's dashboard does not answer at ${ray.address} of the host ${name}${why === undefined ? "" : ` (${why.toLowerCase()})`}; its jobs keep running. Check that the cluster is up and that hosts.${name}.ray.address is right.`,
  );
}

/** Connections to a dashboard: through the user's own ssh, without a port here, or straight to the address. */
export class RayAgent extends Agent {
  readonly #route: RayRoute;

  constructor(route: RayRoute) {
    super({ keepAlive: true, maxSockets: 4, maxFreeSockets: 1 });
    this.#route = route;
  }

  /** What Agent calls for each connection. */
  createConnection(): Duplex {
    const route = this.#route;
    const { ray, spec } = route;
    if (spec.local) {
      const at = ray.address.lastIndexOf(":");
      const host = ray.address.slice(0, at).replace(/^\[|\]$/g, "");
      return connect({ host, port: Number(ray.address.slice(at + 1)) });
    }
    const { program, args } = forwardArguments(route, ray.address);
    return new ProcessStream(spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] }), (said) =>
      notForwarded.test(said) ? dashboardAway(route, said) : unreachable(route.name, said),
    );
  }
}
