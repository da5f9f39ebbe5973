import type { LineageVersion } from "../../../shared/protocol/views/lineage.ts";
import { testPage } from "../lineage/lineageTable.ts";
import { EventEmitter } from "./fakeVscode.ts";
import { settled, type HeldPanels } from "./heldPanels.ts";

type Asked = { readonly service: string; readonly root: string | undefined; readonly params: unknown };

/** ProjectChoice, which a test can import only in a fake editor. */
type Choice = {
  readonly current: string | undefined;
  choose(root: string): Promise<void>;
  found(roots: readonly string[]): void;
  readonly onDidChange: (heard: () => void) => unknown;
};

/** The projects of the window; the views show the second one until the test chooses. */
export const [gymA, gymB] = ["/w/gym-a", "/w/gym-b"] as const;

/** A window with two projects, and an engine that answers by service and project what the test has it answer. */
export class TwoProjects {
  readonly asked: Asked[] = [];
  /** What the engine answers; undefined where it refuses. */
  readonly answers: Record<string, (root: string, params: unknown) => unknown> = {};
  readonly versions: Record<string, readonly LineageVersion[]> = { [gymA]: [], [gymB]: [] };
  readonly changed = new EventEmitter<undefined>();
  readonly kept = new Map<string, unknown>();
  readonly #panels: HeldPanels;
  readonly project: Choice;

  constructor(panels: HeldPanels, project: Choice) {
    this.#panels = panels;
    this.project = project;
    project.onDidChange(() => queueMicrotask(() => this.changed.fire(undefined)));
  }

  /** What a part of the extension is given when it is registered. */
  given(more: object = {}): never {
    const ask = (asked: { root?: string; service: string; params: unknown }): Promise<unknown> => {
      const { service, params, root = this.project.current ?? gymA } = asked;
      this.asked.push({ service, root, params });
      const result = this.answers[service]?.(root, params);
      return Promise.resolve(
        result === undefined
          ? { type: "refused", reason: "storeBusy", message: "The archive is being handed over." }
          : { type: "answer", root, result },
      );
    };
    const server = {
      ...{ state: () => "running", onChange: this.changed.event, engine: ask },
      version: ({ root, question }: { root?: string; question: { ask: string } }) =>
        ask({ ...(root === undefined ? {} : { root }), service: question.ask, params: question }),
      projects: () => Promise.resolve([gymA, gymB]),
      lineage: ({ root = this.project.current ?? gymA }: { root?: string }) =>
        Promise.resolve({
          ...{ type: "lineage", root },
          page: { ...testPage(this.versions[root] ?? [], {}), epoch: root },
        }),
    };
    const workspaceState = {
      get: (key: string, usual?: unknown) => this.kept.get(key) ?? usual,
      update: (key: string, value: unknown) => Promise.resolve(void this.kept.set(key, value)),
    };
    return {
      ...{ context: { extensionUri: "/ext", workspaceState }, extensionUri: "/ext" },
      ...{ server, project: this.project, log: this.#panels.log, tellStanding: () => undefined },
      ...more,
    } as never;
  }

  async choose(root: string): Promise<void> {
    await this.project.choose(root);
    await settled();
  }

  /** Which projects a service was asked about since this was last asked. */
  rootsOf(service: string): unknown[] {
    const found = this.asked.filter((one) => one.service === service).map(({ root }) => root);
    const rest = this.asked.filter((one) => one.service !== service);
    this.asked.splice(0, Infinity, ...rest);
    return found;
  }
}
