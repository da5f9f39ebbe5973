/**
 * Remembers the environment of this process; what it gives sets everything back. To replace `process.env` would leave the real
 * environment as it is, where home folders are looked up and which the next test of the process inherits.
 */
export function keepEnvironment(): () => void {
  const kept = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env))
      if (kept[name] === undefined) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, kept);
  };
}
