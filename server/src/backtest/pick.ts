/** The values at some places, in their order. A loop: the conversion of the language goes by an iterator and is slow. */
export function pick(values: Float64Array, places: Uint32Array): Float64Array {
  const picked = new Float64Array(places.length);
  for (let i = 0; i < picked.length; i++) picked[i] = values[places[i] ?? 0] ?? NaN;
  return picked;
}
