import { codeActionFeature } from "./codeActionFeature.ts";
import { completionFeature } from "./completionFeature.ts";
import type { Feature } from "./feature.ts";
import { hoverFeature } from "./hoverFeature.ts";

/** Every request of an editor that is answered from the specs. A new feature is one file here, one in `features/`, and a line. */
export const allFeatures: readonly Feature[] = [completionFeature, hoverFeature, codeActionFeature];
