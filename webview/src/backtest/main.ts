import {
  BacktestUiState,
  backtestProtocol,
  ToBacktest,
  type FromBacktest,
} from "../../../shared/protocol/views/backtest.ts";
import { startView, type Host } from "../shared/startView.ts";
import "./backtest.css";
import { drawBacktest } from "./render.ts";

const fresh: BacktestUiState = { version: 1, target: null };

startView(
  { version: backtestProtocol, messages: ToBacktest, kept: BacktestUiState, fresh },
  (app, host: Host<FromBacktest, BacktestUiState>) => {
    const { target } = host.ui;
    if (host.isBack && target !== null) queueMicrotask(() => host.post({ type: "again", target }));
    const draw = drawBacktest(app, (name, label) => host.post({ type: "rollout", name, label }));
    draw({ type: "loading" });
    return (message) => {
      if (message.target !== null) host.keep({ version: 1, target: message.target });
      draw(message.state);
    };
  },
);
