import { counted, points } from "./numbers.ts";
import { shortName } from "./shortName.ts";
import { verdictLooks, type Look, type VerdictWord } from "./decisions.ts";

type Compared = { readonly against: string; readonly difference: number; readonly verdict: VerdictWord };
type Said = Pick<Look, "mark" | "colour" | "word">;

const words: Readonly<Record<VerdictWord, string>> = {
  improved: "better than",
  regressed: "worse than",
  inside_noise: "inside the noise of",
  withheld: "no verdict against",
};

/** How something compares with a version, with the sign and colour of it: `better than v2, +6.2 points`. */
export function comparedLook({ against, difference, verdict }: Compared): Said {
  const { mark, colour } = verdictLooks[verdict];
  return { mark, colour, word: `${words[verdict]} ${shortName(against)}, ${points(difference)}` };
}

/**
 * The same where a job stands, which trained one seed: whose verdict it is, and on how many seeds it was given, so that nobody
 * takes it for one on this run. `v4 over 3 seeds: better than v2, +6.2 points`.
 */
export function versionLook(version: string, compared: Compared & { readonly seeds?: number }): Said {
  const { mark, colour, word } = comparedLook(compared);
  const over = compared.seeds === undefined ? "" : ` over ${counted(compared.seeds, "seed")}`;
  return { mark, colour, word: `${shortName(version)}${over}: ${word}` };
}
