/** Remembers what was made of an object for as long as the object lives. */
export function remembered<Key extends object, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, { readonly made: Made }>();
  return (key) => {
    const found = known.get(key);
    if (found) return found.made;
    const made = make(key);
    known.set(key, { made });
    return made;
  };
}
