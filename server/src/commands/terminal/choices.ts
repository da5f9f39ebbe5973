import type { Outcome } from "../../../../shared/model/rollout.ts";
import type { FlowBy } from "../../changes/failureClass.ts";

/** What options may be; apart from the verbs themselves, which are loaded when they are asked for. */
export const templateNames = ["swe", "math", "code", "trl", "countdown", "verl", "roll", "script"] as const;
export type Template = (typeof templateNames)[number];

export const checkFormats = ["text", "json", "github", "sarif"] as const;
export type CheckFormat = (typeof checkFormats)[number];

export const outcomeNames = ["pass", "fail", "unknown"] as const satisfies readonly Outcome[];

export const flowChoices = ["outcome", "stop", "label"] as const satisfies readonly FlowBy[];
