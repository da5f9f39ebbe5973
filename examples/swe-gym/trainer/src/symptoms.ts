import type { Random } from "./random.ts";
import type { Family } from "./rewrites.ts";

/** How users describe each kind of mistake; several kinds share a phrase, so that the issue alone does not settle it. */
const phrases: Readonly<Record<Family, readonly string[]>> = {
  boundary: ["wrong exactly at the limit", "off when both values are equal"],
  direction: ["does the opposite of what it says", "reacts the wrong way round"],
  equality: ["does the opposite of what it says", "cannot tell equal things apart"],
  sign: ["the result moves the wrong way", "the result is off by twice the input"],
  scale: ["the result is off by a large factor", "the result moves the wrong way"],
  extreme: ["picks the wrong one of two values", "reacts the wrong way round"],
  case: ["letters come out in the wrong case"],
  end: ["keeps the wrong end of the text", "picks the wrong one of two values"],
  transform: ["the input comes out twisted", "does the opposite of what it says"],
  constant: ["the result is slightly off", "wrong exactly at the limit"],
  variable: ["mixes up its inputs", "the result is off by a large factor"],
};

export function symptomOf(random: Random, family: Family): string {
  return random.pick(phrases[family]);
}

/** Words of the issue that the policy can read, in a fixed order. */
export const issueWords: readonly string[] = [
  ...new Set(
    Object.values(phrases)
      .flat()
      .flatMap((p) => p.split(" ")),
  ),
].sort();
