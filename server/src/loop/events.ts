import type { Decision } from "../../../shared/ledger/ledger.ts";
import type { Stage } from "../../../shared/ledger/testing.ts";
import type { LoopPhase, LoopStep } from "./state.ts";

/** What the loop tells whoever watches: the command line now, the editor's views later. */
export type LoopEvent =
  | {
      readonly type: "step";
      readonly phase: LoopPhase;
      readonly generation: number;
      readonly generations: number;
      readonly step: LoopStep;
    }
  | {
      readonly type: "finding";
      readonly version: string;
      readonly name: string;
      readonly severity: string;
      readonly message: string;
    }
  | { readonly type: "proposed"; readonly version: string; readonly title: string; readonly because: string }
  | { readonly type: "backtest"; readonly version: string; readonly summary: string }
  | {
      readonly type: "jobStarted";
      readonly version: string;
      /** Tells jobs of one version apart that run side by side. */
      readonly seed: number;
      readonly what: string;
    }
  | {
      readonly type: "jobProgress";
      readonly version: string;
      readonly seed: number;
      readonly step: number;
      readonly stepsTotal: number | null;
      readonly reward: number | null;
      readonly etaSeconds: number | null;
    }
  | {
      /** Something of a version's job on its way between this machine and a host. */
      readonly type: "transfer";
      readonly version: string;
      readonly seed: number;
      readonly what: string;
      readonly bytes: number;
      readonly total: number | null;
    }
  | {
      readonly type: "jobEnded";
      readonly version: string;
      readonly seed: number;
      readonly ok: boolean;
      readonly message: string;
      readonly seconds: number;
    }
  | {
      /** What noise hides, and what candidates will cost: before any is trained. */
      readonly type: "calibrated";
      readonly version: string;
      readonly sentences: readonly string[];
    }
  | {
      /** A look at a candidate: after its first seed, and after each further one. */
      readonly type: "screened";
      readonly version: string;
      readonly seeds: readonly number[];
      readonly verdict: "screened" | "another_seed" | "keep" | "reject";
      readonly reason: string;
    }
  | {
      readonly type: "decided";
      readonly version: string;
      readonly decision: Decision;
      readonly stage: Stage | null;
      readonly reason: string;
      readonly score: number | null;
    }
  | { readonly type: "promoted"; readonly version: string; readonly reason: string }
  | { readonly type: "note"; readonly message: string };
