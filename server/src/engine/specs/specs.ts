import { z } from "zod";
import { listDiagnostics } from "./diagnosticsList.ts";
import { listSkills } from "./skillsList.ts";
import { definePlainService } from "../workspace/service.ts";

/** Diagnostics that are in use, with their rates in a version as the ledger has them. */
export const diagnosticsList = definePlainService({
  name: "diagnostics.list",
  repeatable: true,
  params: z.object({ version: z.string().exactOptional() }),
  run: ({ root }, { version }) => listDiagnostics(root, version),
});

/** Skill specs of the project, and whether a version bears them out. */
export const skillsList = definePlainService({
  name: "skills.list",
  repeatable: true,
  params: z.object({}),
  run: ({ root }) => listSkills(root),
});
