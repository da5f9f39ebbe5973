import { replay } from "../../../shared/protocol/services/replay.ts";
import { startServiceView } from "../shared/serviceView.ts";
import { createReplay } from "./render.ts";
import "./replay.css";

startServiceView(replay["lineage.replay"], createReplay);
