import {
  symbol,
  symbolCircle,
  symbolDiamond,
  symbolSquare,
  symbolTimes,
  symbolTriangle,
  symbolWye,
  type SymbolType,
} from "d3";
import type { Decision } from "../../../shared/protocol/lineage.ts";

/** One shape per decision, so that it can be told without colour. Open ones are drawn as outlines. */
export const shapes: Readonly<Record<Decision, { readonly type: SymbolType; readonly open: boolean }>> = {
  base: { type: symbolCircle, open: true },
  keep: { type: symbolCircle, open: false },
  reject: { type: symbolTimes, open: true },
  invalid: { type: symbolTriangle, open: false },
  edit: { type: symbolSquare, open: false },
  prune: { type: symbolSquare, open: true },
  merge: { type: symbolDiamond, open: false },
  revert: { type: symbolWye, open: false },
  pending: { type: symbolDiamond, open: true },
};

export const shapePath = (decision: Decision): string => symbol(shapes[decision].type, 90)() ?? "";
