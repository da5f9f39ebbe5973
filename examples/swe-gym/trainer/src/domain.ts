import * as z from "zod";
import type { Domain } from "../../../gym/src/domain.ts";
import { demonstrate } from "./demonstrator.ts";
import type { EnvironmentSettings } from "./environment.ts";
import { parseItems } from "./item.ts";
import { policyShape } from "./policy.ts";
import { Repair } from "./repair.ts";
import { parseItem, type ParsedItem } from "./repository.ts";

/** Repository repair (see the README beside this folder). */
export const repair: Domain<ParsedItem, EnvironmentSettings> = {
  mark: "swegym1\n",
  shape: policyShape,
  environment: z.strictObject({
    turnLimit: z.int().min(2).max(100),
    history: z.enum(["hidden", "visible"]),
  }),
  parse: (text, where) => parseItems(text, where).map(parseItem),
  start: (task, settings) => new Repair(task, settings),
  demonstrate,
};
