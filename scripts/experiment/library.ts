import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { skillsFolder, workFolder } from "./paths.ts";
import { cellName, cellsOf, readPlan } from "./plan.ts";
import { evotrainer, ProgramFailed, skillFiles } from "./project.ts";
import { provenSkills } from "./search.ts";

/**
 * Writes experiment/skills anew: what the versions prove that EvoTrainer kept in the headline run, in the domains that the plan of
 * skills does not test, each with all trials of the same change in these searches, also where it failed. Answers how many
 * files there are.
 * @throws ProgramFailed where the project of a search is not on this machine
 */
export function makeLibrary(): number {
  const headline = readPlan();
  const tested = readPlan("skills").domains;
  const domain = headline.domains.filter((one) => !tested.includes(one)).join(",");
  const projects = cellsOf(headline, { domain, arm: "evotrainer" }).map((cell) =>
    join(workFolder(headline.name), "projects", cellName(cell)),
  );
  const missing = projects.find((project) => !existsSync(join(project, ".evotrainer/loop.json")));
  if (missing !== undefined)
    throw new ProgramFailed(`${missing} is missing; run \`npm run experiment\` first, which makes it.`);
  const made = `${skillsFolder}.part`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  const take = (project: string, name: string): void =>
    void evotrainer(project, ["skills", "export", name], [0], made);
  for (const project of projects) for (const name of provenSkills(project)) take(project, name);
  // A search that proved nothing of a skill may have tried it as well: to leave it out would make the skill look better than it is.
  for (const project of projects)
    for (const file of skillFiles(made)) take(project, basename(file, ".skill.yaml"));
  rmSync(skillsFolder, { recursive: true, force: true });
  renameSync(made, skillsFolder);
  return skillFiles().length;
}
