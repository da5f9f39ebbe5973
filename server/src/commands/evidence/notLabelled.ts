import { shellWord } from "../../base/shellWord.ts";

/** What sets the labels of rollouts that nobody has labelled yet. */
export const notLabelled = (version: string, split: string): string =>
  `\`evotrainer diagnose ${/^[\w.-]+$/.test(version) ? version : shellWord(version)}${split === "train" ? " --split train" : ""}\` sets them`;
