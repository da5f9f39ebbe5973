import * as z from "zod";
import type { Domain } from "../../../gym/src/domain.ts";
import { itemsOf } from "../../../gym/src/items.ts";
import { demonstrate } from "./demonstrator.ts";
import { Item } from "./item.ts";
import { policyShape } from "./policy.ts";
import { Programming } from "./programming.ts";
import type { SessionSettings } from "./session.ts";

/** Programs from words and a few tests (see the README beside this folder). */
export const programs: Domain<Item, SessionSettings> = {
  mark: "codegym1",
  shape: policyShape,
  environment: z.strictObject({
    turnLimit: z.int().min(2).max(100),
    allTests: z.boolean(),
    skipErrors: z.boolean(),
  }),
  parse: (text, where) => itemsOf(Item, text, where),
  start: (task, settings) => new Programming(task, settings),
  demonstrate,
};
