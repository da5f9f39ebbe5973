import type { Turn } from "../../../../shared/model/rollout.ts";
import type { Active } from "../../../gym/src/columns.ts";
import type { Episode, Verdict } from "../../../gym/src/domain.ts";
import type { Chosen, Decision } from "../../../gym/src/policy.ts";
import { encodeState } from "./encoding.ts";
import type { Item } from "./item.ts";
import type { Kind } from "./language.ts";
import { callOf, candidatesOf, headsFor } from "./policy.ts";
import { renderTurns } from "./render.ts";
import { Session, type SessionSettings } from "./session.ts";

/** One rollout: a program that is written, and what stood in its places before. */
export class Programming implements Episode {
  readonly session: Session;
  readonly tried: Set<Kind>[] = [];
  readonly failures: number[] = [];

  constructor(item: Item, settings: SessionSettings) {
    this.session = new Session(item, settings);
  }

  get isOver(): boolean {
    return this.session.isOver;
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
    const { results } = this.session.step(callOf(this, chosen));
    if (results !== null) this.failures.push(results.filter((r) => !r.passed).length);
    this.session.program.instructions.forEach(({ kind }, at) => (this.tried[at] ??= new Set()).add(kind));
  }

  judge(): Verdict {
    return this.session.judge();
  }

  turns(decisions: readonly Decision[]): Turn[] {
    return renderTurns(this.session, decisions);
  }
}
