import { admissionFigures } from "../../decision/admission/admitHarness.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { isHarnessFile } from "../../project/harnessPlaces.ts";
import type { ProposalPorts } from "../../proposals/ports.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { assessHarness } from "./assessHarness.ts";
import { harnessGround } from "./harnessGround.ts";
import { changesOfHarness } from "../project/harnessProject.ts";

/** What the archive says of a change of how evidence is read; null where another file differs, or no diagnostic. */
export async function harnessFigures(
  workspace: Pick<Workspace, "repository" | "engineFolder" | "ledger">,
  { store, domain }: { readonly store: Store; readonly domain: string },
  { parent, commit }: Parameters<ProposalPorts["harnessFigures"]>[0],
): ReturnType<ProposalPorts["harnessFigures"]> {
  const { repository } = workspace;
  const names = await repository.git.text(["diff", "--name-only", "--relative", "-z", parent, commit]);
  const files = names.split("\0").filter((file) => file !== "");
  if (files.length === 0 || !files.every(isHarnessFile)) return null;
  if ((await changesOfHarness(repository, { parent, commit })).length === 0) return null;
  const ground = await harnessGround(workspace, { store, domain });
  const { reason, admission } = await assessHarness(ground, { version: "this version", parent, commit });
  return {
    summary: `As things stand: ${reason} It is asked again when it is approved; nothing is trained.`,
    figures: admissionFigures(admission),
  };
}
