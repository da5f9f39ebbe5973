import { inPalette } from "./commandTitles.ts";

/** The refusals that recur, said in the same words by the command line, the server and the editor. */

/** Why there is nothing to show or ask, and what to do about it. */
export interface Absence {
  readonly cause: string;
  readonly advice: string;
}

export const noFolder: Absence = {
  cause: "No folder is open.",
  advice: "Open a project's folder: one that contains an evotrainer.yaml.",
};

export const noProject: Absence = {
  cause: "No folder of this workspace contains an evotrainer.yaml.",
  advice:
    "Write one, or run “evotrainer init” in a terminal: with “--from” and your runs, it makes one out of them.",
};

export const noArchive: Absence = {
  cause: "There is no evidence yet.",
  advice: "Run “evotrainer evolve”, or “evotrainer import” with the files of a run.",
};

export const noVersions: Absence = {
  cause: "This project has no versions yet.",
  advice: "Run “evotrainer evolve” in a terminal to train and compare the first ones.",
};

export const serverStopped: Absence = {
  cause: "The language server is not running.",
  advice: `Run “${inPalette("evotrainer.restartServer")}”.`,
};

/** `what` is what is not done in a folder that nobody said to trust. */
export const notTrusted = (what: string): Absence => ({
  cause: "This workspace is not trusted.",
  advice: what,
});

/** Of a verb that runs programs of the project: `An evolution runs programs …`. */
export const runsUntrusted = (what: string): string =>
  `${what} runs programs of the project, and this workspace is not trusted; trust it first.`;

/** Where a folder and those above it hold no project. */
export const noProjectFile = (file: string, where: string): string =>
  `There is no ${file} in ${where}; go to the folder of your project, or make one with \`evotrainer init\`.`;

/** `domain` is left out where there is only one. */
export const noVersionNamed = (name: string, domain?: string): string =>
  `There is no version ${name}${domain === undefined ? "" : ` in the lineage of ${domain}`}.`;
