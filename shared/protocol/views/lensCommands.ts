/** Commands behind code lenses; the editor's side carries them out. Each has one argument of LensTarget (lsp.ts). */
export const showRolloutsCommand = "evotrainer.showRollouts";
export const backtestCommand = "evotrainer.backtest";
