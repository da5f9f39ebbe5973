import type { Episode } from "./domain.ts";
import { toolHead } from "./network.ts";
import type { Chosen, Decision, Pick } from "./policy.ts";

/** What a demonstrator does: the number of the tool it uses next, and which candidate it picks. */
export interface Script {
  readonly nextTool: () => number;
  readonly choose: (head: number, chosen: Chosen) => number;
}

/** Plays an episode to its end by a script, and keeps the decisions to imitate. */
export function demonstration(episode: Episode, { nextTool, choose }: Script): Decision[] {
  const decisions: Decision[] = [];
  while (!episode.isOver) {
    const tool = nextTool();
    const picks: Pick[] = [{ head: toolHead, candidates: [], chosen: tool, logp: 0 }];
    const chosen: number[] = [tool];
    for (const head of episode.headsOf(tool)) {
      const picked = choose(head, chosen);
      picks.push({ head, candidates: episode.candidates(head, chosen), chosen: picked, logp: 0 });
      chosen[head] = picked;
    }
    decisions.push({ state: episode.encode(), picks });
    episode.act(chosen);
  }
  return decisions;
}
