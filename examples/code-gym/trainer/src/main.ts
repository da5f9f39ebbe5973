import { runTrainer } from "../../../gym/src/main.ts";
import { programs } from "./domain.ts";

runTrainer(programs);
