/** Passes spaces; other white space between values is not what programs write. */
export function pass(from: usize): usize {
  let at = from;
  while (load<u8>(at) == 0x20) at++;
  return at;
}

/** Passes spaces and then one byte; 0 when it is another one. */
export function passByte(from: usize, byte: u8): usize {
  const at = pass(from);
  return load<u8>(at) == byte ? at + 1 : 0;
}
