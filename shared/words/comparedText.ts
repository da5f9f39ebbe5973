import { points } from "./numbers.ts";
import { shortName } from "./shortName.ts";
import { verdictLooks, type Look, type VerdictWord } from "./decisions.ts";

type Compared = { readonly against: string; readonly difference: number; readonly verdict: VerdictWord };

const words: Readonly<Record<VerdictWord, string>> = {
  improved: "better than",
  regressed: "worse than",
  inside_noise: "inside the noise of",
  withheld: "no verdict against",
};

/** How something compares with a version, with the sign and colour of it: `better than v2, +6.2 points`. */
export function comparedLook({
  against,
  difference,
  verdict,
}: Compared): Pick<Look, "mark" | "colour" | "word"> {
  const { mark, colour } = verdictLooks[verdict];
  return { mark, colour, word: `${words[verdict]} ${shortName(against)}, ${points(difference)}` };
}
