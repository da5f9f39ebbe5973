import type { OfferedSkills } from "../../../../shared/protocol/views/skills.ts";
import { fitSkill } from "../../memory/skills/fit.ts";
import { loadProject } from "../../project/project.ts";
import { workTree } from "../../project/source.ts";
import { whyUnoffered } from "../../proposals/skillIdeas.ts";
import { versionIn } from "../../proposals/standing/proposal.ts";
import { findingsOf } from "../proposals/findingsOf.ts";
import { openDomain } from "../proposals/openDomain.ts";
import { defineService } from "../workspace/service.ts";
import { groundOf, knownSkills } from "./knownSkills.ts";

/** The skills in use that fit a version and answer what is found wrong with it. */
export const skillsOffered = defineService("skills.offered", {
  repeatable: true,
  async run(
    { root, store, trusted: owner },
    { version: asked, trusted: caller },
    { signal },
  ): Promise<OfferedSkills> {
    const { skills, champion } = await knownSkills(root);
    const open = await openDomain(root);
    const { domain, entries } = open;
    const version = asked === undefined ? champion : versionIn(open.lineage, asked);
    if (version === null || skills.length === 0) return { version: version?.name ?? null, offered: [] };
    const project = await loadProject(workTree(root));
    const found = await findingsOf(version.name, {
      ...{ store, root, project, domain, entries, caller, owner, signal },
    });
    const ground = groundOf(open, version);
    const offered: OfferedSkills["offered"] = [];
    for (const skill of skills) {
      const { spec, record } = skill;
      const answers = found.map(({ name }) => name).filter((name) => spec.when.targets.includes(name));
      if (answers.length === 0 || record.retired !== null) continue;
      if ((await fitSkill(spec, ground)).type === "fits")
        offered.push({ name: spec.name, answers, byHand: whyUnoffered(skill, domain) });
    }
    return { version: version.name, offered };
  },
});
