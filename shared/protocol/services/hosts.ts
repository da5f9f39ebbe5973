import * as z from "zod";
import { HostCandidates, HostEntry, HostList, HostReport } from "../views/hosts.ts";
import { service } from "./service.ts";

export const hosts = {
  "hosts.list": service({
    says: "All hosts that jobs can run on: the project's, and those in the user's own file and settings.",
    editor: true,
    params: () => z.object({}),
    result: () => HostList,
  }),
  "hosts.candidates": service({
    says: "Hosts of the user's ssh configuration, as ssh resolves them.",
    editor: true,
    params: () => z.object({}),
    result: () => HostCandidates,
  }),
  "hosts.entry": service({
    says: "The text to write for a new host. Writes nothing.",
    editor: true,
    params: () =>
      z.object({
        ssh: z.string(),
        name: z.string().exactOptional(),
        user: z.string().exactOptional(),
        port: z.number().exactOptional(),
        gpus: z.number().exactOptional(),
        text: z.string().exactOptional().describe("The text of evotrainer.yaml in an editor."),
      }),
    result: () => HostEntry,
  }),
  "hosts.check": service({
    says: "Connects to a host and says what jobs need there and what is missing.",
    editor: true,
    params: () => z.object({ host: z.string() }),
    result: () => HostReport,
  }),
};
