import { listDiagnostics } from "../specs/diagnosticsList.ts";
import { listSkills } from "../specs/skillsList.ts";
import { definePlainService } from "../workspace/service.ts";

/** Diagnostics that are in use, with their rates in a version as the ledger has them. */
export const diagnosticsList = definePlainService("diagnostics.list", {
  repeatable: true,
  run: ({ root }, { version }) => listDiagnostics(root, version),
});

/** Skill specs of the project, and whether a version confirms them. */
export const skillsList = definePlainService("skills.list", {
  repeatable: true,
  run: ({ root }) => listSkills(root),
});
