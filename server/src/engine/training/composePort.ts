import { readChanges } from "../../lineage/hunks.ts";
import type { LoopPorts } from "../../loop/ports.ts";
import type { ComposedDrafts, ComposePorts } from "../../proposals/composedDraft.ts";
import { mergeDrafts } from "../../proposals/mergeDrafts.ts";
import { subtractDrafts } from "../../proposals/subtractDrafts.ts";
import { versionIn } from "../../proposals/proposal.ts";
import { commitSource } from "../project/commitSource.ts";
import { readLineage } from "../workspace/workspace.ts";
import type { EnginePorts } from "./engineParts.ts";

/** Composes drafts of kept versions from git and the ledger as they are now. */
export function composePort({
  workspace,
  project: { spec: declared },
}: Pick<EnginePorts, "workspace" | "project">): LoopPorts["compose"] {
  const { repository } = workspace;
  const ports: ComposePorts = {
    source: (commit) => commitSource(repository, commit),
    changes: (base, proposed) => readChanges(repository, base, proposed),
  };
  return async (asked) => {
    const lineage = await readLineage(workspace, declared.domain);
    const ground = { lineage, declared, count: 1 };
    const make = (): Promise<ComposedDrafts> => {
      if (asked.type === "merge") {
        const of = asked.of?.map((name) => versionIn(lineage, name));
        const [a, b] = of ?? [];
        return mergeDrafts(
          { ...ground, ...(a === undefined || b === undefined ? {} : { of: [a, b] }) },
          ports,
        );
      }
      const { without } = asked;
      return subtractDrafts(
        {
          ...{ ...ground, champion: versionIn(lineage, asked.champion) },
          ...(without === undefined ? {} : { without: versionIn(lineage, without) }),
        },
        ports,
      );
    };
    return (await make()).drafts[0] ?? null;
  };
}
