import { runTrainer } from "../../../gym/src/main.ts";
import { mathematics } from "./domain.ts";

runTrainer(mathematics);
