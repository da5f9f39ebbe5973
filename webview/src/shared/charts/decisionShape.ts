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
import type { Decision } from "../../../../shared/protocol/views/lineage.ts";
import { decisionLooks, type DecisionLook } from "../../../../shared/words/decisions.ts";

const drawn: Readonly<Record<DecisionLook["shape"], SymbolType>> = {
  circle: symbolCircle,
  cross: symbolTimes,
  triangle: symbolTriangle,
  square: symbolSquare,
  diamond: symbolDiamond,
  wye: symbolWye,
};

/** The form of a decision, by which it can be told without colour. */
export const shapePath = (decision: Decision): string =>
  symbol(drawn[decisionLooks[decision].shape], 90)() ?? "";
