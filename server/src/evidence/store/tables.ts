import { actionNames } from "../contract/actions.ts";
import { choiceType } from "../contract/choices.ts";

/** Raise it when a table changes: a store of another version is rebuilt from the JSONL files. */
export const schemaVersion = 12;

/** Rows per row group: small enough that a committed batch of 4 KB rows is written straight to its place. */
export const rowGroupSize = 16_384;

/** Rows from which on it pays to write with `Store.append`. */
export const manyRows = 2048;

/** A number for each kind of call, NULL where there is no call of it. There are few kinds, so that each is a column to read. */
const byAction = `STRUCT(${actionNames.map((name) => `${name} BIGINT`).join(", ")})`;

/**
 * The tables of the archive. `rid` counts rollouts in the order of arrival and is unique by construction, so it needs
 * no index; integers are BIGINT, because a smaller one raises on overflow.
 */
export const tableStatements = [
  `CREATE TABLE meta (key VARCHAR, value VARCHAR)`,
  // consumed: bytes that are in the tables, or records of a file that is read as a whole; fingerprint: of the bytes at
  // the head and before the end of those, or of the whole file; format: of a foreign file, NULL for the contract;
  // complete: a file that is read as a whole is in the tables to its end.
  `CREATE TABLE sources (
     source BIGINT, path VARCHAR, run VARCHAR, version VARCHAR, kind VARCHAR,
     consumed BIGINT, lines BIGINT, fingerprint VARCHAR, format VARCHAR, complete BOOLEAN)`,
  // Every id is another one: compressed, a page that is strewn over the table would decode a dictionary per row of it.
  `CREATE TABLE rollouts (
     rid BIGINT, source BIGINT, line BIGINT, version VARCHAR,
     id VARCHAR USING COMPRESSION uncompressed, run VARCHAR, split ${choiceType("split")}, step BIGINT, item VARCHAR, "group" VARCHAR, sample BIGINT,
     outcome ${choiceType("outcome")}, unknown_reason VARCHAR, reward DOUBLE, components MAP(VARCHAR, DOUBLE),
     stop_reason VARCHAR, tokens BIGINT, logprob_mean DOUBLE, policy VARCHAR, harness VARCHAR, seed BIGINT,
     started_at VARCHAR, duration_ms DOUBLE, extra JSON)`,
  // The text is nearly all of the bytes; naming its compression saves the trial of the others.
  `CREATE TABLE turns (
     rid BIGINT, idx BIGINT, role VARCHAR, "text" VARCHAR USING COMPRESSION zstd, tool VARCHAR, args JSON,
     ok BOOLEAN, tokens BIGINT, ms DOUBLE)`,
  // A label in a revision is a number in the rows of those who carry it, which are millions.
  `CREATE TABLE label_keys (key BIGINT, label VARCHAR, revision VARCHAR)`,
  `CREATE TABLE labelled (rid BIGINT, key BIGINT, turns BIGINT[])`,
  // What programs said of rollouts, also where they set no label; program: a hash of their files.
  `CREATE TABLE tried (rid BIGINT, label VARCHAR, revision VARCHAR, program VARCHAR, verdict BOOLEAN)`,
  `CREATE TABLE metrics (
     source BIGINT, line BIGINT, run VARCHAR, version VARCHAR, step BIGINT, name VARCHAR, value DOUBLE)`,
  // Solve rates of versions without rollouts; "set": what it was measured on.
  `CREATE TABLE scores (
     source BIGINT, line BIGINT, run VARCHAR, version VARCHAR, score DOUBLE, n BIGINT, items BIGINT, unknown BIGINT,
     seed BIGINT, seeds BIGINT, "set" VARCHAR, note VARCHAR)`,
  `CREATE TABLE quarantine (
     source BIGINT, path VARCHAR, line BIGINT, "offset" BIGINT, reason VARCHAR, raw VARCHAR)`,
  `CREATE TABLE features (
     rid BIGINT, n_turns BIGINT, n_messages BIGINT, n_tool_calls BIGINT, n_tool_errors BIGINT, n_tools BIGINT,
     longest_tool_streak BIGINT, streak_tool VARCHAR, streak_start BIGINT, streak_end BIGINT, tool_counts MAP(VARCHAR, BIGINT),
     tool_first MAP(VARCHAR, BIGINT), tool_streaks MAP(VARCHAR, BIGINT), calls VARCHAR[], repeat_turns BIGINT[])`,
  // Of the calls of a kind, told: those that say whether they succeeded; errors: those that did not. repeated_calls: turns.
  `CREATE TABLE actions (
     rid BIGINT, action_counts ${byAction}, action_first ${byAction}, action_streaks ${byAction},
     action_told ${byAction}, action_errors ${byAction}, edited_files VARCHAR[],
     repeated_calls BIGINT[])`,
] as const;

/** What is read as a table. */
export const viewStatements = [
  `CREATE VIEW labels AS SELECT l.rid, k.label, k.revision, l.turns FROM labelled l JOIN label_keys k USING (key)`,
] as const;

/** The tables whose rows belong to a rollout, by its `rid`: they go with it, because a number may be given again. */
export const tablesOfRollouts = ["turns", "labelled", "tried", "features", "actions"] as const;

/** The names of the tables, in the order of their statements. */
export const tableNames: readonly string[] = tableStatements.map(
  (statement) => /^CREATE TABLE (\w+)/.exec(statement)?.[1] ?? "",
);
