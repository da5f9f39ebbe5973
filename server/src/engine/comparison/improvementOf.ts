import { probabilityOfImprovement, type Improvement } from "../../statistics/comparison/improvement.ts";
import type { ItemOutcomes } from "../../statistics/scores/outcomes.ts";
import { commonItems } from "../../statistics/scores/pairs.ts";
import { known, type Answer } from "../../statistics/intervals/refusal.ts";
import { runScores } from "../../statistics/scores/runScores.ts";

/** The chance that b does better than a on an item, and what it would be if unknown outcomes went either way. */
export function improvementOf(
  a: readonly ItemOutcomes[],
  b: readonly ItemOutcomes[],
): Answer<Improvement & { readonly outer: readonly [number, number] | null }> {
  const common = commonItems(a, b);
  const scores = (of: "a" | "b", unknown?: "pass" | "fail"): ReturnType<typeof runScores> =>
    runScores(
      common.map((o) => o[of]),
      unknown,
    );
  const [inA, inB] = [scores("a"), scores("b")];
  const both = common.map((_, i) => (inA[i]?.length ?? 0) > 0 && (inB[i]?.length ?? 0) > 0);
  const answer = probabilityOfImprovement(
    inB.filter((_, i) => both[i]),
    inA.filter((_, i) => both[i]),
  );
  if (answer.type === "refused") return answer;
  if (!common.some((o) => o.a.unknown + o.b.unknown > 0)) return known({ ...answer, outer: null });
  const worst = probabilityOfImprovement(scores("b", "fail"), scores("a", "pass"));
  const best = probabilityOfImprovement(scores("b", "pass"), scores("a", "fail"));
  const outer: [number, number] = [
    Math.min(answer.low, worst.type === "known" ? worst.low : 0),
    Math.max(answer.high, best.type === "known" ? best.high : 1),
  ];
  return known({ ...answer, outer });
}
