import { sparseRows, type Active } from "./columns.ts";
import type { Domain, Episode, Settings, Task, Verdict } from "./domain.ts";
import { at } from "./matrix.ts";
import { toolColumns, toolHead, type Choices, type Network } from "./network.ts";
import type { Decision, Pick } from "./policy.ts";
import { Random } from "./random.ts";

/** A rollout to be played: the task and the seed of its own random stream. */
export interface Assignment<T> {
  readonly task: T;
  readonly seed: number;
}

export interface Played {
  readonly task: Task;
  readonly episode: Episode;
  readonly decisions: readonly Decision[];
  readonly verdict: Verdict;
}

export interface PlaySettings<S> {
  readonly environment: S;
  readonly temperature: number;
}

interface Player {
  readonly task: Task;
  readonly episode: Episode;
  readonly random: Random;
  readonly decisions: Decision[];
}

interface Turn {
  readonly player: Player;
  readonly state: Active;
  readonly row: number;
  readonly heads: readonly number[];
  readonly picks: Pick[];
  readonly chosen: number[];
}

/** Log of the softmax's denominator over logits / temperature. */
export function logNormaliser(
  logits: Float32Array,
  start: number,
  count: number,
  temperature: number,
): number {
  let most = -Infinity;
  for (let i = 0; i < count; i++) most = Math.max(most, at(logits, start + i));
  let sum = 0;
  for (let i = 0; i < count; i++) sum += Math.exp((at(logits, start + i) - most) / temperature);
  return most / temperature + Math.log(sum);
}

function sample(
  logits: Float32Array,
  start: number,
  count: number,
  temperature: number,
  random: Random,
): [number, number] {
  const normaliser = logNormaliser(logits, start, count, temperature);
  let left = random.next();
  for (let i = 0; i < count; i++) {
    const logp = at(logits, start + i) / temperature - normaliser;
    left -= Math.exp(logp);
    if (left < 0 || i === count - 1) return [i, logp];
  }
  throw new Error("a choice needs at least one candidate");
}

/** Plays all rollouts side by side, so that every layer is one matrix product per turn. */
export function playAll<T extends Task, S extends Settings>(
  domain: Domain<T, S>,
  network: Network,
  assignments: readonly Assignment<T>[],
  settings: PlaySettings<S>,
): Played[] {
  const players = assignments.map(({ task, seed }): Player => ({
    task,
    episode: domain.start(task, settings.environment),
    random: new Random(seed),
    decisions: [],
  }));
  for (;;) {
    const active = players.filter((p) => !p.episode.isOver);
    if (active.length === 0) break;
    playTurn(network, active, settings.temperature);
  }
  return players.map(({ task, episode, decisions }) => ({
    task,
    episode,
    decisions,
    verdict: episode.judge(),
  }));
}

function playTurn(network: Network, active: readonly Player[], temperature: number): void {
  const { tools, candidates: widths } = network.shape;
  const states = active.map((p) => p.episode.encode());
  network.backend.release();
  const trunk = network.trunk(sparseRows(states));
  const turns = active.map((player, row): Turn => {
    const [tool, logp] = sample(trunk.logits, row * toolColumns, tools, temperature, player.random);
    const picks: Pick[] = [{ head: toolHead, candidates: [], chosen: tool, logp }];
    const heads = player.episode.headsOf(tool);
    return { player, state: states[row] ?? [], row, heads, picks, chosen: [tool] };
  });
  for (let head = 1; head <= widths.length; head++) {
    const wanting = turns.filter((t) => t.heads.includes(head));
    if (wanting.length === 0) continue;
    const encoded = wanting.map((t) => t.player.episode.candidates(head, t.chosen));
    const choices = gatherChoices(
      wanting.map((t) => t.row),
      encoded,
    );
    const pass = network.point(head, trunk, choices);
    wanting.forEach((turn, i) => {
      const start = at(choices.starts, i);
      const candidates = encoded[i] ?? [];
      const [chosen, logp] = sample(pass.logits, start, candidates.length, temperature, turn.player.random);
      turn.picks.push({ head, candidates, chosen, logp });
      turn.chosen[head] = chosen;
    });
  }
  for (const { player, state, picks, chosen } of turns) {
    player.episode.act(chosen);
    player.decisions.push({ state, picks });
  }
}

export function gatherChoices(states: readonly number[], encoded: readonly (readonly Active[])[]): Choices {
  const starts = new Int32Array(encoded.length + 1);
  const candidates: Active[] = [];
  encoded.forEach((list, i) => {
    for (const candidate of list) candidates.push(candidate);
    starts[i + 1] = candidates.length;
  });
  return { states, starts, candidates: sparseRows(candidates) };
}
