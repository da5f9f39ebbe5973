/** The run and the id of a rollout that is named as `run/id`, of which only the id can have more slashes; undefined for no such name. */
export function parseRolloutName(name: string): { readonly run: string; readonly id: string } | undefined {
  const slash = name.indexOf("/");
  return slash <= 0 ? undefined : { run: name.slice(0, slash), id: name.slice(slash + 1) };
}
