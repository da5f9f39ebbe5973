import { callHierarchyFeature } from "./callHierarchyFeature.ts";
import { codeActionFeature } from "./codeActionFeature.ts";
import { completionFeature } from "./completionFeature.ts";
import { definitionFeature } from "./definitionFeature.ts";
import type { Feature } from "./feature.ts";
import { formattingFeature } from "./formattingFeature.ts";
import { hintsFeature } from "./hintsFeature.ts";
import { hoverFeature } from "./hoverFeature.ts";
import { linksFeature } from "./linksFeature.ts";
import { rangesFeature } from "./rangesFeature.ts";
import { referencesFeature } from "./referencesFeature.ts";
import { renameFeature } from "./renameFeature.ts";
import { semanticTokensFeature } from "./semanticTokensFeature.ts";
import { signatureFeature } from "./signatureFeature.ts";
import { symbolsFeature } from "./symbolsFeature.ts";

/** Every request of an editor that is answered from the specs. A new feature is one file here, one in `features/`, and a line. */
export const allFeatures: readonly Feature[] = [
  completionFeature,
  hoverFeature,
  signatureFeature,
  definitionFeature,
  referencesFeature,
  renameFeature,
  symbolsFeature,
  linksFeature,
  rangesFeature,
  semanticTokensFeature,
  formattingFeature,
  callHierarchyFeature,
  codeActionFeature,
  hintsFeature,
];
