// A namespace, so that a webview carries only the part of zod that it uses.
import * as z from "zod";
import { DiagnosticBacktest } from "../results/diagnosticBacktest.ts";
import { RewardBacktests } from "../results/rewardBacktest.ts";

/** What the view of a backtest is told and what it asks; a message of another version is dropped. */
export const backtestProtocol = 1;
const envelope = { protocol: z.literal(backtestProtocol) };

/** The spec that is replayed: the project's folder, and the address of its text. */
const BacktestTarget = z.object({ root: z.string(), subject: z.string() });
export type BacktestTarget = z.infer<typeof BacktestTarget>;

/** What there is to see, or why there is nothing. */
const BacktestState = z.discriminatedUnion("type", [
  z.object({ type: z.literal("loading") }),
  z.object({ type: z.literal("refused"), message: z.string() }),
  z.object({ type: z.literal("reward"), title: z.string(), found: RewardBacktests }),
  z.object({ type: z.literal("diagnostic"), title: z.string(), found: DiagnosticBacktest }),
]);
export type BacktestState = z.infer<typeof BacktestState>;

/** From the extension to the view; the target is what the view keeps over a reload. */
export const ToBacktest = z.object({
  ...envelope,
  type: z.literal("state"),
  target: BacktestTarget.nullable(),
  state: BacktestState,
});
export type ToBacktest = z.infer<typeof ToBacktest>;

/** From the view to the extension. */
export const FromBacktest = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("ready") }),
  /** What a page that is back after a reload showed before. */
  z.object({ ...envelope, type: z.literal("again"), target: BacktestTarget }),
  /** Opens a rollout that is named as run/id, at the turn that shows the label. */
  z.object({ ...envelope, type: z.literal("rollout"), name: z.string(), label: z.string() }),
]);
export type FromBacktest = z.infer<typeof FromBacktest>;

export const BacktestUiState = z.object({ version: z.literal(1), target: BacktestTarget.nullable() });
export type BacktestUiState = z.infer<typeof BacktestUiState>;
