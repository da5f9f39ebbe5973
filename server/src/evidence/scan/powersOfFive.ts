/**
 * The 128 most significant bits of 5 to the power of -`most` to `most`, as two words each, the upper one first: what the
 * method of Eisel and Lemire multiplies the digits of a number with. Powers below 1 are rounded up, the others down.
 */
export function powersOfFive(most: number): BigUint64Array {
  const words = new BigUint64Array(2 * (2 * most + 1));
  for (let exponent = -most; exponent <= most; exponent++) {
    const bits = exponent < 0 ? inverse(5n ** BigInt(-exponent)) : upperBits(5n ** BigInt(exponent));
    words[2 * (exponent + most)] = bits >> 64n;
    words[2 * (exponent + most) + 1] = bits & 0xffff_ffff_ffff_ffffn;
  }
  return words;
}

function upperBits(value: bigint): bigint {
  const excess = value.toString(2).length - 128;
  return excess > 0 ? value >> BigInt(excess) : value << BigInt(-excess);
}

const inverse = (value: bigint): bigint =>
  upperBits((1n << BigInt(2 * value.toString(2).length + 128)) / value + 1n);
