import type { PartAnswers, ShownVersion } from "../../../shared/protocol/views/version.ts";
import type { Known } from "./known.ts";
import type { Questions } from "./questions.ts";

export type KnownHandlers = {
  /** A version has come, or it is said why it does not. */
  readonly came: () => void;
  /** What the diagnostics say of a version has come. */
  readonly diagnosed: () => void;
};

/** What is known of versions, each of which is asked for by itself. */
export class KnownVersions {
  readonly #questions: Questions;
  readonly #on: KnownHandlers;
  readonly #versions = new Map<string, ShownVersion>();
  readonly #diagnosed = new Map<string, PartAnswers["diagnosed"]>();
  /** Why versions are not there. */
  readonly #refused = new Map<string, string>();
  readonly #asking = new Set<string>();

  constructor(questions: Questions, on: KnownHandlers) {
    this.#questions = questions;
    this.#on = on;
  }

  version(name: string): ShownVersion | undefined {
    return this.#versions.get(name);
  }

  of(name: string): Known | undefined {
    const version = this.#versions.get(name);
    return version === undefined ? undefined : { version, diagnosed: this.#diagnosed.get(name) };
  }

  /** Why some of these are not there. */
  refusals(names: readonly string[]): string[] {
    return names.flatMap((name) => this.#refused.get(name) ?? []);
  }

  ask(name: string): void {
    this.#asking.add(name);
    this.#questions.ask(
      { part: "version", version: name },
      "version",
      (version) => {
        this.#asking.delete(name);
        this.#refused.delete(name);
        this.#versions.set(name, version);
        if (version.score === null && version.measured === null) this.#askDiagnosed(name);
        else this.#diagnosed.delete(name);
        this.#on.came();
      },
      (said) => {
        this.#asking.delete(name);
        this.#refused.set(name, said);
        this.#on.came();
      },
    );
  }

  /** Asks for those of which nothing is known yet. */
  askMissing(names: readonly string[]): void {
    for (const name of names)
      if (!this.#versions.has(name) && !this.#refused.has(name) && !this.#asking.has(name)) this.ask(name);
  }

  /** Their answers are dropped from now on. */
  stopAsking(): void {
    this.#asking.clear();
  }

  /** For another project, whose versions may have the same names. */
  forget(): void {
    this.#asking.clear();
    for (const known of [this.#versions, this.#diagnosed, this.#refused]) known.clear();
  }

  #askDiagnosed(name: string): void {
    this.#questions.ask(
      { part: "diagnosed", version: name },
      "diagnosed",
      (found) => {
        this.#diagnosed.set(name, found);
        this.#on.diagnosed();
      },
      () => undefined,
    );
  }
}
