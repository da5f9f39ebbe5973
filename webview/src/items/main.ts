import { versions } from "../../../shared/protocol/services/versions.ts";
import { startServiceView } from "../shared/serviceView.ts";
import "./items.css";
import { createItems } from "./render.ts";

startServiceView(versions["versions.items"], createItems);
