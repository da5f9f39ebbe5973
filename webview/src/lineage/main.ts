import {
  lineageProtocol,
  LineageUiState,
  ToLineagePanel,
  type FromLineagePanel,
} from "../../../shared/protocol/views/lineage.ts";
import { startView, type Host } from "../shared/startView.ts";
import "./lineage.css";
import "./list.css";
import "./matrix.css";
import "./details.css";
import { LineageView } from "./lineageView.ts";

const fresh: LineageUiState = {
  version: 2,
  layout: "graph",
  selected: null,
  marked: [],
  query: "",
  scope: null,
  hidden: [],
  folded: null,
  exceptions: [],
  written: {},
};

startView(
  { version: lineageProtocol, messages: ToLineagePanel, kept: LineageUiState, fresh },
  (app, host: Host<FromLineagePanel, LineageUiState>) => {
    const view = new LineageView(app, host);
    return (message) => view.receive(message);
  },
);
