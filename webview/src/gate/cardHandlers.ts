import type { FromGateCard, GateUiState } from "../../../shared/protocol/views/gate.ts";

type Unsent<T> = T extends unknown ? Omit<T, "protocol"> : never;
/** What a card asks its page to do. */
export type CardHandlers = {
  readonly post: (message: Unsent<FromGateCard>) => void;
  readonly show: (change: Partial<Pick<GateUiState, "form" | "withWorkTree">>) => void;
  readonly write: (draft: string) => void;
};
