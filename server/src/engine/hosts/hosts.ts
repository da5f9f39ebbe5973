import { entryOf, hostCandidates, listHosts } from "../hosts/addHost.ts";
import { trainerCommand } from "./knownHosts.ts";
import { definePlainService } from "../workspace/service.ts";
import { assertTrusted } from "../workspace/trusted.ts";

/** Hosts that jobs can run on, wherever they are named. */
export const hostsList = definePlainService("hosts.list", {
  repeatable: true,
  run: ({ root }) => listHosts(root),
});

/** Hosts of the user's ssh configuration, as ssh resolves them. */
export const hostsCandidates = definePlainService("hosts.candidates", {
  repeatable: true,
  run(context) {
    // `Match exec` in it may run programs.
    assertTrusted(context, "Reading your ssh configuration");
    return hostCandidates(context.root);
  },
});

/** What is to be written down for a new host. Writes nothing. */
export const hostsEntry = definePlainService("hosts.entry", {
  repeatable: true,
  run: ({ root }, { text, ...host }) => entryOf(root, host, text),
});

/** Connects to a host and says what it has and lacks. */
export const hostsCheck = definePlainService("hosts.check", {
  repeatable: true,
  async run(context, { host }, { signal }) {
    assertTrusted(context, "Connecting to a host");
    const [{ hostRoute, shippedPrograms }, { examineHost }] = await Promise.all([
      import("./hostExecutor.ts"),
      import("../../runner/doctor/doctor.ts"),
    ]);
    const route = await hostRoute(context.root, host);
    const command = await trainerCommand(context.root);
    return { host, findings: await examineHost(route, { programs: shippedPrograms(), command, signal }) };
  },
});
