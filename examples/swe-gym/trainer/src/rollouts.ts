import { encodeGlobals, type Active } from "./encoding.ts";
import { Session, toolNames, type EnvironmentSettings, type Tool, type Verdict } from "./environment.ts";
import { at } from "./matrix.ts";
import { Memory, type Line } from "./memory.ts";
import { toolColumns, type Choices, type Network, type PointerName } from "./network.ts";
import { candidatesOf, callOf, headsOf, type Decision, type Pick } from "./policy.ts";
import { Random } from "./random.ts";
import type { ParsedItem } from "./repository.ts";

/** A rollout to be played: the task and the seed of its own random stream. */
export interface Assignment {
  readonly parsed: ParsedItem;
  readonly seed: number;
}

export interface Played {
  readonly session: Session;
  readonly decisions: readonly Decision[];
  readonly verdict: Verdict;
}

export interface PlaySettings {
  readonly environment: EnvironmentSettings;
  readonly temperature: number;
}

interface Player {
  readonly session: Session;
  readonly memory: Memory;
  readonly random: Random;
  readonly decisions: Decision[];
}

interface Turn {
  readonly player: Player;
  readonly state: Active;
  readonly row: number;
  readonly tool: Tool;
  readonly picks: Pick[];
  readonly chosen: Partial<Record<PointerName, number>>;
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

function needsHead(turn: Turn, head: PointerName): boolean {
  return headsOf[turn.tool].includes(head) && !(turn.tool === "edit" && turn.player.memory.current === null);
}

function pickedLine(turn: Turn): Line | undefined {
  return turn.chosen.line === undefined ? undefined : turn.player.memory.lines[turn.chosen.line];
}

/** Plays all rollouts side by side, so that every layer is one matrix product per turn. */
export function playAll(
  network: Network,
  assignments: readonly Assignment[],
  settings: PlaySettings,
): Played[] {
  const players = assignments.map(({ parsed, seed }): Player => {
    const session = new Session(parsed, settings.environment);
    return {
      session,
      memory: new Memory(
        parsed.item,
        parsed.files.map((f) => f.name),
      ),
      random: new Random(seed),
      decisions: [],
    };
  });
  for (;;) {
    const active = players.filter((p) => !p.session.isOver);
    if (active.length === 0) break;
    playTurn(network, active, settings);
  }
  return players.map((p) => ({ session: p.session, decisions: p.decisions, verdict: p.session.judge() }));
}

function playTurn(network: Network, active: readonly Player[], settings: PlaySettings): void {
  const { temperature, environment } = settings;
  const states = active.map((p) => encodeGlobals(p.memory, environment.turnLimit));
  network.backend.release();
  const trunk = network.trunk(states);
  const turns = active.map((player, row): Turn => {
    const [index, logp] = sample(
      trunk.logits,
      row * toolColumns,
      toolNames.length,
      temperature,
      player.random,
    );
    const picks: Pick[] = [{ head: "tool", candidates: [], chosen: index, logp }];
    return { player, state: states[row] ?? [], row, tool: toolNames[index] ?? "submit", picks, chosen: {} };
  });
  for (const head of ["term", "file", "line", "rewrite"] as const) {
    const wanting = turns.filter((t) => needsHead(t, head));
    if (wanting.length === 0) continue;
    const encoded = wanting.map((t) => candidatesOf(head, t.player.memory, pickedLine(t)));
    const choices = gatherChoices(
      wanting.map((t) => t.row),
      encoded,
    );
    const pass = network.point(head, trunk, choices);
    wanting.forEach((turn, i) => {
      const start = choices.starts[i] ?? 0;
      const candidates = encoded[i] ?? [];
      const [chosen, logp] = sample(pass.logits, start, candidates.length, temperature, turn.player.random);
      turn.picks.push({ head, candidates, chosen, logp });
      turn.chosen[head] = chosen;
    });
  }
  for (const turn of turns) {
    const { session, memory, decisions } = turn.player;
    const call = callOf(turn.tool, memory, turn.chosen);
    memory.observe(call, session.step(call));
    decisions.push({ state: turn.state, picks: turn.picks });
  }
}

export function gatherChoices(states: readonly number[], encoded: readonly (readonly Active[])[]): Choices {
  const starts = [0];
  for (const list of encoded) starts.push((starts.at(-1) ?? 0) + list.length);
  return { states, starts, candidates: encoded.flat() };
}
