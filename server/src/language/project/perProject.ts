import type { NamedSpec, ProjectContext } from "../rule.ts";

/** Works something out once for a project: again only when its list of specs is a new one, as after every change. */
export function perProject<Made>(make: (project: ProjectContext) => Made): (project: ProjectContext) => Made {
  const known = new WeakMap<readonly NamedSpec[], { readonly made: Made }>();
  return (project) => {
    const key = project.specs();
    const found = known.get(key) ?? { made: make(project) };
    known.set(key, found);
    return found.made;
  };
}
