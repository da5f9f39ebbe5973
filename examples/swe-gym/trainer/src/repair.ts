import type { Turn } from "../../../../shared/model/rollout.ts";
import type { Active } from "../../../gym/src/columns.ts";
import type { Episode } from "../../../gym/src/domain.ts";
import { elementOf } from "../../../gym/src/matrix.ts";
import type { Chosen, Decision } from "../../../gym/src/policy.ts";
import { encodeGlobals } from "./encoding.ts";
import { Session, toolNames, type EnvironmentSettings, type Verdict } from "./environment.ts";
import { Memory } from "./memory.ts";
import { callOf, candidatesOf, headOf, pointerNames, pointersFor } from "./policy.ts";
import { renderTurns } from "./render.ts";
import type { ParsedItem } from "./repository.ts";

/** Repairing a small repository: one session with its tools, and what they have shown so far. */
export class Repair implements Episode {
  readonly memory: Memory;
  private readonly session: Session;

  constructor(task: ParsedItem, settings: EnvironmentSettings) {
    this.session = new Session(task, settings);
    this.memory = new Memory(
      task.item,
      task.files.map((f) => f.name),
    );
  }

  get isOver(): boolean {
    return this.session.isOver;
  }

  encode(): Active {
    return encodeGlobals(this.memory, this.session.settings.turnLimit);
  }

  headsOf(tool: number): readonly number[] {
    return pointersFor(elementOf(toolNames, tool), this.memory).map((name) => headOf[name]);
  }

  candidates(head: number, chosen: Chosen): readonly Active[] {
    return candidatesOf(elementOf(pointerNames, head - 1), this.memory, chosen);
  }

  act(chosen: Chosen): void {
    const call = callOf(this.memory, chosen);
    this.memory.observe(call, this.session.step(call));
  }

  judge(): Verdict {
    return this.session.judge();
  }

  turns(decisions: readonly Decision[]): Turn[] {
    return renderTurns(this.session.parsed.item, this.session.exchanges, decisions);
  }
}
