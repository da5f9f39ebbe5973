import {
  evidenceProtocol,
  EvidenceUiState,
  ToEvidencePanel,
  type FromEvidencePanel,
} from "../../../shared/protocol/views/evidence.ts";
import { startView, type Host } from "../shared/startView.ts";
import "./evidence.css";
import { EvidenceView } from "./evidenceView.ts";

const fresh: EvidenceUiState = { version: 1, query: null, grouping: "label", selected: null };

startView(
  { version: evidenceProtocol, messages: ToEvidencePanel, kept: EvidenceUiState, fresh },
  (app, host: Host<FromEvidencePanel, EvidenceUiState>) => {
    const view = new EvidenceView(app, host);
    return (message) => view.receive(message);
  },
);
