import {
  integer,
  littleEndian,
  python2Text,
  pythonString,
  rawUnicode,
  type PickleInput,
} from "./pickleInput.ts";

const maxIntegerBytes = 4096;
const maxIntegerDigits = 4300;

/** The opcode is none that pushes a number, a text or bytes. */
export const noScalar = Symbol("no scalar");

/** The value of an opcode that pushes a number, a text or bytes. */
export function readScalar(op: number, input: PickleInput, at: number): unknown {
  switch (op) {
    case 0x4e: // NONE
      return null;
    case 0x88: // NEWTRUE
      return true;
    case 0x89: // NEWFALSE
      return false;
    case 0x49: // INT
      return readDecimal(input, at, true);
    case 0x4c: // LONG
      return readDecimal(input, at);
    case 0x4a: // BININT
      return input.bytes(4).readInt32LE(0);
    case 0x4b: // BININT1
      return input.byte();
    case 0x4d: // BININT2
      return input.size(2);
    case 0x8a: // LONG1
      return littleEndian(input.bytes(input.byte()));
    case 0x8b: // LONG4
      return long4(input, at);
    case 0x46: // FLOAT
      return float(input, at);
    case 0x47: // BINFLOAT
      return input.bytes(8).readDoubleBE(0);
    case 0x56: // UNICODE
      return rawUnicode(input.line());
    case 0x8c: // SHORT_BINUNICODE
      return input.utf8(input.byte());
    case 0x58: // BINUNICODE
      return input.utf8(input.size(4));
    case 0x8d: // BINUNICODE8
      return input.utf8(input.size(8));
    case 0x53: // STRING
      return pythonString(input.line()) ?? input.fail("it has a string without quotes", at);
    case 0x55: // SHORT_BINSTRING
      return python2Text(input.bytes(input.byte()));
    case 0x54: // BINSTRING
      return python2Text(input.bytes(input.size(4)));
    case 0x43: // SHORT_BINBYTES
      return Buffer.from(input.bytes(input.byte()));
    case 0x42: // BINBYTES
      return Buffer.from(input.bytes(input.size(4)));
    case 0x8e: // BINBYTES8
    case 0x96: // BYTEARRAY8
      return Buffer.from(input.bytes(input.size(8)));
    default:
      return noScalar;
  }
}

/** A line with an integer in decimal; in protocols 0 and 1, 00 and 01 are booleans. */
export function readDecimal(input: PickleInput, at: number, mayBeBoolean = false): number | bigint | boolean {
  const text = input.line(maxIntegerDigits).toString("latin1").trim();
  if (mayBeBoolean && (text === "00" || text === "01")) return text === "01";
  const digits = /^\+?(-?\d+)L?$/.exec(text)?.[1];
  return digits === undefined ? input.fail("it has an invalid integer", at) : integer(BigInt(digits));
}

function long4(input: PickleInput, at: number): number | bigint {
  const length = input.size(4);
  if (length > maxIntegerBytes) input.fail(`it has an integer of ${length} bytes`, at);
  return littleEndian(input.bytes(length));
}

function float(input: PickleInput, at: number): number {
  const text = input.line(maxIntegerDigits).toString("latin1").trim();
  const special = /^([+-]?)(nan|inf(?:inity)?)$/i.exec(text);
  if (special !== null) {
    if (special[2]?.toLowerCase() === "nan") return NaN;
    return special[1] === "-" ? -Infinity : Infinity;
  }
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return Number(text);
  return input.fail("it has an invalid float", at);
}
