import type { Scalar } from "../../../../../shared/spec/common.ts";

/** A setting of a run, with the line that says it, from 1. */
export interface ReadSetting {
  readonly value: Scalar;
  readonly line: number;
}

/** What a file says about how a run was started. */
export interface ReadConfig {
  /** In words, such as "launch script". */
  readonly kind: string;
  readonly settings: ReadonlyMap<string, ReadSetting>;
  /** Settings that the file names and whose values it does not tell. */
  readonly untold: readonly { readonly path: string; readonly said: string; readonly line: number }[];
  /** What is started, as `trainer.command` would have it; undefined where the file does not say. */
  readonly command: "script" | undefined;
  /** Whether it is a file that somebody writes, so that a version may change it; otherwise a run wrote it. */
  readonly isWritten: boolean;
}

/** Reads one kind of file. */
export interface ConfigReader {
  /** Whether a file may be of this kind, by its path with forward slashes. */
  readonly isNamed: (path: string) => boolean;
  /** Never throws; undefined where the text turns out to be something else. */
  readonly read: (path: string, text: string) => ReadConfig | undefined;
}

/** The line of a place in a text, from 1. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;
