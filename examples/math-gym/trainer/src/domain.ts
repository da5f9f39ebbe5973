import * as z from "zod";
import type { Domain } from "../../../gym/src/domain.ts";
import { itemsOf } from "../../../gym/src/items.ts";
import { demonstrate } from "./demonstrator.ts";
import { Item } from "./item.ts";
import { policyShape } from "./policy.ts";
import { Solving } from "./solving.ts";
import type { WorkSettings } from "./working.ts";

/** Arithmetic in several steps, and sorting (see the README beside this folder). */
export const mathematics: Domain<Item, WorkSettings> = {
  mark: "mathgym1",
  shape: policyShape,
  environment: z.strictObject({
    turnLimit: z.int().min(2).max(100),
    retrieval: z.boolean(),
    verdict: z.boolean(),
  }),
  parse: (text, where) => itemsOf(Item, text, where),
  start: (task, settings) => new Solving(task, settings),
  demonstrate,
};
