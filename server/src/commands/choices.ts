/** What options may be; apart from the verbs themselves, which are loaded when they are asked for. */
export const templateNames = ["swe"] as const;
export type Template = (typeof templateNames)[number];

export const checkFormats = ["text", "json", "github"] as const;
export type CheckFormat = (typeof checkFormats)[number];
