import { runTrainer } from "../../../gym/src/main.ts";
import { repair } from "./domain.ts";

runTrainer(repair);
