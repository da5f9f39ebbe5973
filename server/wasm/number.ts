// Numbers of JSON to the nearest double: exactly where both parts are, by the method of Eisel and Lemire elsewhere.
// "Number Parsing at a Gigabyte per Second", Software: Practice and Experience 51 (8), 2021.

const minus: u8 = 0x2d;
/** Exponents of ten with a row in the table of powers; numbers with others are not read here. */
export const mostExponent: i32 = 340;
/** The 128 most significant bits of 5 to the power of -340 to 340, the upper half first: JavaScript puts them here. */
export const powers: usize = memory.data(2 * 8 * 681);
const exactPowers: usize = memory.data(8 * 23);

export function initNumbers(): void {
  let power: f64 = 1;
  for (let i: usize = 0; i < 23; i++) {
    store<f64>(exactPowers + 8 * i, power);
    power *= 10;
  }
}

/** The number that was read last. */
export let value: f64 = 0;

/** Reads a number into `value`; answers the place behind it, or 0 when there is none or one with too many digits. */
export function readNumber(from: usize): usize {
  let at = from;
  const negative = load<u8>(at) == minus;
  if (negative) at++;
  let mantissa: u64 = 0;
  const first = at;
  let digit: u32 = load<u8>(at) - 0x30;
  while (digit < 10) {
    mantissa = mantissa * 10 + digit;
    digit = <u32>load<u8>(++at) - 0x30;
  }
  const whole = at - first;
  if (whole == 0 || (whole > 1 && load<u8>(first) == 0x30)) return 0;
  let digits = whole;
  let exponent: i32 = 0;
  if (load<u8>(at) == 0x2e) {
    const point = ++at;
    digit = <u32>load<u8>(at) - 0x30;
    while (digit < 10) {
      mantissa = mantissa * 10 + digit;
      digit = <u32>load<u8>(++at) - 0x30;
    }
    const decimals = at - point;
    if (decimals == 0 || decimals > 400) return 0;
    exponent = -(<i32>decimals);
    digits += decimals;
    if (digits > 19) digits -= leadingZeros(first);
  }
  if (digits > 19) return 0;
  if ((load<u8>(at) | 0x20) == 0x65) {
    at++;
    const sign = load<u8>(at);
    if (sign == minus || sign == 0x2b) at++;
    const start = at;
    let written: i32 = 0;
    digit = <u32>load<u8>(at) - 0x30;
    while (digit < 10) {
      written = written * 10 + digit;
      digit = <u32>load<u8>(++at) - 0x30;
    }
    if (at == start || at - start > 4) return 0;
    exponent += sign == minus ? -written : written;
  }
  if (!toDouble(mantissa, exponent)) return 0;
  if (negative) value = -value;
  return at;
}

/** Zeros before the first digit that counts. */
function leadingZeros(first: usize): usize {
  let zeros: usize = 0;
  let byte = load<u8>(first);
  for (let at = first; byte == 0x30 || byte == 0x2e; byte = load<u8>(++at)) if (byte == 0x30) zeros++;
  return zeros;
}

function toDouble(mantissa: u64, exponent: i32): bool {
  if (mantissa == 0 || exponent == 0) {
    // A conversion rounds to the nearest double as well.
    value = <f64>mantissa;
    return true;
  }
  if (mantissa <= (<u64>1) << 53 && exponent >= -22 && exponent <= 22) {
    // Both are exact, so that the result is the nearest double.
    const power = load<f64>(exactPowers + ((<usize>abs(exponent)) << 3));
    value = exponent < 0 ? <f64>mantissa / power : <f64>mantissa * power;
    return true;
  }
  return exponent >= -mostExponent && exponent <= mostExponent && eiselLemire(mantissa, exponent);
}

function eiselLemire(mantissa: u64, exponent: i32): bool {
  const shift = clz(mantissa);
  const w = mantissa << shift;
  const power = powers + ((<usize>(exponent + mostExponent)) << 4);
  let high = upperHalf(w, load<u64>(power));
  let low = w * load<u64>(power);
  if ((high & 0x1ff) == 0x1ff) {
    const more = upperHalf(w, load<u64>(power, 8));
    low += more;
    if (low < more) high++;
  }
  // More digits of the power could still change the result.
  if (low == ~(<u64>0)) return false;
  const upper = <i32>(high >> 63);
  let bits = high >> (upper + 9);
  // 217706 / 2^16 is log2(10): exact floors for these exponents.
  let power2 = ((217706 * exponent) >> 16) + 63 + upper - <i32>shift + 1023;
  // Exactly between two doubles: to the even one.
  if (low <= 1 && exponent >= -4 && exponent <= 23 && (bits & 3) == 1 && bits << (upper + 9) == high)
    bits &= ~1;
  bits = (bits + (bits & 1)) >> 1;
  if (bits >= (<u64>1) << 53) {
    bits >>= 1;
    power2++;
  }
  // Neither with less precision nor infinite.
  if (power2 <= 0 || power2 >= 2047) return false;
  value = reinterpret<f64>((bits & (((<u64>1) << 52) - 1)) | ((<u64>power2) << 52));
  return true;
}

function upperHalf(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff;
  const a1 = a >> 32;
  const b0 = b & 0xffffffff;
  const b1 = b >> 32;
  const middle = a1 * b0 + ((a0 * b0) >> 32);
  const other = a0 * b1 + (middle & 0xffffffff);
  return a1 * b1 + (middle >> 32) + (other >> 32);
}

const mostSafe: f64 = 9007199254740991;

/** Whether the number that was read is whole and one that a double counts with. */
export function isWhole(): bool {
  return abs(value) <= mostSafe && floor(value) == value;
}

/** Reads a whole number that is not negative. */
export function readCount(at: usize): usize {
  const next = readNumber(at);
  return next != 0 && value >= 0 && isWhole() ? next : 0;
}
