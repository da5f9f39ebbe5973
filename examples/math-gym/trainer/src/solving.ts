import type { Turn } from "../../../../shared/model/rollout.ts";
import type { Active } from "../../../gym/src/columns.ts";
import type { Episode, Verdict } from "../../../gym/src/domain.ts";
import type { Chosen, Decision } from "../../../gym/src/policy.ts";
import { encodeState } from "./encoding.ts";
import type { Item } from "./item.ts";
import { callOf, candidatesOf, headsFor, keyOfStep } from "./policy.ts";
import { renderTurns } from "./render.ts";
import { Working, type WorkSettings } from "./working.ts";

/** One rollout: a problem that is worked on, and what was taken back. */
export class Solving implements Episode {
  readonly working: Working;
  readonly tried = new Set<string>();

  constructor(item: Item, settings: WorkSettings) {
    this.working = new Working(item, settings);
  }

  get isOver(): boolean {
    return this.working.isOver;
  }

  encode(): Active {
    return encodeState(this);
  }

  headsOf(tool: number): readonly number[] {
    return headsFor(tool, this);
  }

  candidates(head: number, chosen: Chosen): readonly Active[] {
    return candidatesOf(head, this, chosen);
  }

  act(chosen: Chosen): void {
    const call = callOf(this, chosen);
    const key = call.tool === "undo" ? keyOfStep(this) : undefined;
    if (key !== undefined) this.tried.add(key);
    this.working.write(call);
  }

  judge(): Verdict {
    return this.working.judge();
  }

  turns(decisions: readonly Decision[]): Turn[] {
    return renderTurns(this.working, decisions);
  }
}
