import type { LoopEvent } from "../../loop/events.ts";

/** The failures of jobs that somebody has read already in this terminal: each is told once for each version. */
export class SaidFailures {
  readonly #messages = new Map<string, string[]>();

  /** An event without what was said of its version before. */
  once(event: LoopEvent): LoopEvent {
    if (event.type === "decided") return { ...event, reason: this.without(event.reason) };
    if (event.type !== "jobEnded" || event.ok) return event;
    const { version, seed, message } = event;
    const before = this.#messages.get(version) ?? [];
    this.#messages.set(version, [...before, message]);
    return before.some((other) => withoutPlace(other) === withoutPlace(message))
      ? { ...event, message: `It failed with seed ${seed} in the same way.` }
      : event;
  }

  /** A text without the failures that were said; the word for their class stays. */
  without(text: string): string {
    return [...this.#messages.values()]
      .flat()
      .reduce((left, message) => left.replace(`: ${message}`, () => "."), text);
  }

  /** The same, and how to read what the trainer printed, where a file is named in what is left out. */
  withLogs(text: string): string {
    const left = this.without(text);
    const job = left === text ? null : /\/runs\/([\w.-]+)\/stderr\.log/.exec(text);
    if (job === null) return left;
    const logs = ` \`evotrainer logs ${job[1] ?? ""}\` shows what it printed.`;
    return left.replace(/\.(?= |$)/, () => `.${logs}`);
  }
}

/** Jobs of one version keep what they print in folders of their own. */
const withoutPlace = (message: string): string => message.replace(/; see \S+\/stderr\.log\b/, "");
