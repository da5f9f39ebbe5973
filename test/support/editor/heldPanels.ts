import assert from "node:assert/strict";
import type { EngineReply } from "../../../shared/protocol/services/service.ts";
import { EventEmitter, type FakePanel } from "./fakeVscode.ts";
import type * as Fake from "./fakeVscode.ts";

type Asked = { readonly root?: string; readonly service: string; readonly params: Record<string, unknown> };
type Question = Asked & {
  readonly answer: (result: unknown, root?: string) => Promise<void>;
  readonly refuse: () => Promise<void>;
  readonly fail: () => Promise<void>;
};

/** Everything that has begun by itself has come as far as it can. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}

/** An engine whose questions the test answers, each when it likes. */
class HeldEngine {
  readonly changed = new EventEmitter<undefined>();
  readonly #asked: Question[] = [];
  readonly engine = (asked: Asked): Promise<EngineReply<unknown>> =>
    new Promise((resolve, reject) => {
      this.#asked.push({
        ...asked,
        answer: (result, root = "/p") => {
          resolve({ type: "answer", root, result });
          return settled();
        },
        refuse: () => {
          resolve({ type: "refused", reason: "storeBusy", message: "The archive is being handed over." });
          return settled();
        },
        fail: () => {
          reject(new Error("broken pipe"));
          return settled();
        },
      });
    });

  /** The next question that nobody has looked at. */
  next(service: string): Question {
    const at = this.#asked.findIndex((asked) => asked.service === service);
    const [found] = at < 0 ? [] : this.#asked.splice(at, 1);
    assert.ok(found, `${service} is asked`);
    return found;
  }

  has(service: string): boolean {
    return this.#asked.some((asked) => asked.service === service);
  }
}

/** The panels of a test beside an engine that it answers for. */
export class HeldPanels {
  readonly engine = new HeldEngine();
  readonly errors: unknown[] = [];
  readonly log = {
    error: (...said: unknown[]) => this.errors.push(said),
    warn: () => undefined,
    info: () => undefined,
  };
  readonly #fake: typeof Fake;
  constructor(fake: typeof Fake) {
    this.#fake = fake;
    fake.panels.length = fake.failures.length = 0;
    fake.held.commands = Promise.resolve();
  }

  /** What every panel is given, as far as it looks at it. Whatever it asks for beyond that, a test that gets there fails. */
  given(more: object = {}): never {
    const { engine, changed } = this.engine;
    const server = { state: () => "running", onChange: changed.event, engine };
    const project = { current: undefined, titled: (title: string) => title, onDidChange: () => undefined };
    return { extensionUri: "/ext", log: this.log, server, project, ...more } as never;
  }

  last(): FakePanel {
    const last = this.#fake.panels.at(-1);
    assert.ok(last, "a panel is open");
    return last;
  }

  /** Another tab covers the page, which is made anew when it is seen again. */
  cover(): void {
    this.last().visible = false;
    this.last().viewed.fire(undefined);
  }

  async say(message: object): Promise<void> {
    // Each page has a protocol of its own version; of others a message is dropped.
    for (const protocol of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) this.last().said.fire({ protocol, ...message });
    await settled();
  }

  posted(type: string): Record<string, unknown>[] {
    return this.last().posted.filter(
      (m): m is Record<string, unknown> =>
        typeof m === "object" && m !== null && "type" in m && m.type === type,
    );
  }

  states(): unknown[] {
    return this.posted("state").map(({ state }) => state);
  }

  stateOf(at: number): Record<string, unknown> {
    const found = this.states().at(at);
    assert.ok(typeof found === "object" && found !== null);
    return { ...found };
  }
}
