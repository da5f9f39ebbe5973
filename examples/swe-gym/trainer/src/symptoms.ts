import type { Random } from "../../../gym/src/random.ts";
import type { Family } from "./rewrites.ts";

/** How users describe each kind of mistake; several kinds share a phrase, so that the issue alone does not settle it. */
const phrases: Readonly<Record<Family, readonly string[]>> = {
  boundary: ["wrong exactly at the limit", "off when both values are equal"],
  direction: ["reacts the wrong way round", "does the opposite of what it says"],
  sign: ["the result moves the wrong way", "the result is off by twice the input"],
  scale: ["the result is off by a large factor"],
  extreme: ["picks the wrong one of two values"],
  case: ["letters come out in the wrong case"],
  end: ["keeps the wrong end of the text"],
  transform: ["the input comes out twisted"],
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
