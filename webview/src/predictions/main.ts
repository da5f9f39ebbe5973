import { versions } from "../../../shared/protocol/services/versions.ts";
import { startServiceView } from "../shared/serviceView.ts";
import "./predictions.css";
import { createPredictions } from "./render.ts";

startServiceView(versions["lineage.predictions"], createPredictions);
