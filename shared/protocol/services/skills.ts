import * as z from "zod";
import { Name } from "../../spec/common.ts";
import { MadeProposals } from "../views/proposals.ts";
import { OfferedSkills, SkillDetail, SkillsList } from "../views/skills.ts";
import { service } from "./service.ts";

export const skills = {
  "skills.list": service({
    says: "The skills of the project, of the user's library and of kept versions, with what came of their uses by the ledger.",
    editor: true,
    params: () => z.object({}),
    result: () => SkillsList,
  }),
  "skills.show": service({
    says: "One skill with its edits, the versions that it was tried in and what it is expected to do next.",
    editor: false,
    params: () => z.object({ name: z.string() }),
    result: () => SkillDetail,
  }),
  "skills.offered": service({
    says: "The skills that fit a version and answer what is found wrong with it; by default the version that the evolution goes on from.",
    editor: false,
    params: () =>
      z.object({
        version: Name.exactOptional(),
        trusted: z.boolean().default(false).describe("Whether diagnostics may run programs and ask models."),
      }),
    result: () => OfferedSkills,
  }),
  "skills.apply": service({
    says: "Proposes the change of a skill. It waits at the design gate like any other proposal, and what comes of it is held against what the skill expects.",
    editor: true,
    params: () =>
      z.object({
        name: z.string(),
        parent: Name.exactOptional().describe("The version to change; by default the evolution's champion."),
      }),
    result: () => MadeProposals,
  }),
};
