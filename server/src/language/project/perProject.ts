import type { NamedSpec, ProjectContext } from "../rule/rule.ts";
import { sameParts } from "./sameParts.ts";

/**
 * Works something out once for a project: again only when its list of specs is a new one, as after every change. What
 * comes out the same is the very same value as before, so that nothing has to be checked again for it.
 */
export function perProject<Made>(make: (project: ProjectContext) => Made): (project: ProjectContext) => Made {
  const known = new WeakMap<readonly NamedSpec[], { readonly made: Made }>();
  const latest = new Map<string, { readonly made: Made }>();
  const derive = (watched: ProjectContext): Made => {
    const project = watched.watch?.project ?? watched;
    const found = known.get(project.specs()) ?? again(project);
    watched.watch?.derived(derive, found.made);
    return found.made;
  };
  const again = (project: ProjectContext): { readonly made: Made } => {
    const fresh = { made: make(project) };
    const before = latest.get(project.root ?? "");
    const found = before && sameParts(before.made, fresh.made) ? before : fresh;
    if (project.root !== undefined) latest.set(project.root, found);
    known.set(project.specs(), found);
    return found;
  };
  return derive;
}
