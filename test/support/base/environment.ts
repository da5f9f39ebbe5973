/**
 * Remembers the environment of this process and returns a function that restores it. Replacing `process.env` would not
 * change the real environment, where home folders are looked up and which the next test of the process inherits.
 */
export function keepEnvironment(): () => void {
  const kept = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env))
      if (kept[name] === undefined) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, kept);
  };
}
