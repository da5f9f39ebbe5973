import { listDiagnostics } from "../specs/diagnosticsList.ts";
import { definePlainService } from "../workspace/service.ts";

/** Diagnostics that are in use, with their rates in a version as the ledger has them. */
export const diagnosticsList = definePlainService("diagnostics.list", {
  repeatable: true,
  run: ({ root }, { version }) => listDiagnostics(root, version),
});
