import { HarnessError } from "../../base/errors.ts";
import { readChanges } from "../../lineage/hunks.ts";
import { fitSkill, interventionOf } from "../../memory/skills/fit.ts";
import { loadProject } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { makeProposals } from "../../proposals/makeProposals.ts";
import { useOf } from "../../proposals/skillIdeas.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { openDomain } from "../proposals/openDomain.ts";
import { toChange } from "../proposals/standing.ts";
import { proposalPorts } from "../training/proposalPorts.ts";
import { defineService } from "../workspace/service.ts";
import { groundOf, knownSkills, skillNamed } from "./knownSkills.ts";

/** Who proposed what a skill says, in the ledger. */
const proposer = "skill";

/** Proposes the change of a skill, which waits at the design gate like every other; one that does not fit changes nothing. */
export const skillsApply = defineService("skills.apply", {
  // Asked twice it would propose twice.
  repeatable: false,
  async run({ root, store }, { name, parent: asked }) {
    const skill = skillNamed(await knownSkills(root), name);
    const { spec, record } = skill;
    if (record.retired !== null)
      throw new HarnessError("badInput", `${name} is retired, so it is not applied. ${record.retired}`);
    const open = await openDomain(root);
    const { workspace, lineage, domain } = open;
    const parent = asked === undefined ? await toChange(open) : versionIn(lineage, asked);
    if (parent === undefined)
      throw new HarnessError("notFound", "There is no version to change yet; run `evotrainer evolve` first.");
    const fit = await fitSkill(spec, groundOf(open, parent));
    if (fit.type === "unfit") throw new HarnessError("specInvalid", fit.reason);
    const { proposals, passedOver } = await makeProposals(
      {
        ...{ lineage, parent, project: await loadProject(workTree(root)), proposer, count: 1 },
        intervention: interventionOf(spec, { edit: fit.edit, record }),
        skill: useOf(skill),
      },
      {
        ...proposalPorts(workspace, { store, domain }),
        changes: (base, proposed) => readChanges(workspace.repository, base, proposed),
        findings: () => Promise.resolve([]),
      },
    );
    return { proposals: [...proposals], passedOver: [...passedOver] };
  },
});
