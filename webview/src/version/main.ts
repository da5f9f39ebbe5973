import {
  ToVersionPanel,
  versionProtocol,
  VersionUiState,
  type FromVersionPanel,
} from "../../../shared/protocol/views/version.ts";
import { startView, type Host } from "../shared/startView.ts";
import "./version.css";
import { VersionView } from "./versionView.ts";

const fresh: VersionUiState = {
  version: 1,
  root: null,
  names: [],
  a: null,
  b: null,
  by: "outcome",
  metrics: null,
};

startView(
  { version: versionProtocol, messages: ToVersionPanel, kept: VersionUiState, fresh },
  (app, host: Host<FromVersionPanel, VersionUiState>) => {
    const view = new VersionView(app, host);
    return (message) => view.receive(message);
  },
);
