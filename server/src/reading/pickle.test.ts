import assert from "node:assert/strict";
import fc from "fast-check";
import { fuzzRuns } from "../../../test/support/base/fuzz.ts";
import { skipBecause } from "../../../test/support/base/skip.ts";
import { parsePickles, readPickles, type PickleOptions } from "./pickle.ts";
import { PickledObject } from "./pickledObject.ts";
import {
  hasProgram,
  mutated,
  readsOrRefuses,
  refusal,
  runProgram,
  tempFolder,
} from "../../../test/support/reading/readers.ts";

const read = (bytes: Buffer | string, options: Partial<PickleOptions> = {}): unknown[] =>
  [
    ...parsePickles(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes, {
      name: "a.pkl",
      ...options,
    }),
  ].map((p) => p.value);
const protocols = [0, 1, 2, 3, 4, 5];

/** What Python pickles for an expression, under each protocol. */
function pickled(expression: string, setup = ""): Buffer[] {
  const program = [
    "import pickle, sys, base64, collections, datetime, decimal",
    setup,
    `value = ${expression}`,
    ...protocols.map((n) => `print(base64.b64encode(pickle.dumps(value, ${n})).decode())`),
    "print(base64.b64encode(pickle._dumps(value, 0)).decode())", // the pickler that is written in Python
  ].join("\n");
  return runProgram("python3", ["-"], program)
    .toString()
    .trim()
    .split("\n")
    .map((line) => Buffer.from(line, "base64"));
}

describe("pickle reader", () => {
  const folder = tempFolder();
  const needPython = (context: Mocha.Context): void => {
    if (!hasProgram("python3")) skipBecause(context, "there is no python3 here");
  };

  const plain: readonly [name: string, expression: string, expected: unknown][] = [
    ["None and booleans", "[None, True, False]", [null, true, false]],
    [
      "integers",
      "[0, 1, -1, 255, 256, 65535, 65536, 2**31-1, -2**31, 2**31, 2**53-1, -(2**53-1), 2**53, -2**63, 2**64, 2**2000]",
      [
        0,
        1,
        -1,
        255,
        256,
        65535,
        65536,
        2 ** 31 - 1,
        -(2 ** 31),
        2 ** 31,
        2 ** 53 - 1,
        -(2 ** 53 - 1),
        2n ** 53n,
        -(2n ** 63n),
        2n ** 64n,
        2n ** 2000n,
      ],
    ],
    [
      "floats",
      "[0.1, -0.0, 1e300, 5e-324, float('nan'), float('inf'), -float('inf')]",
      [0.1, -0, 1e300, 5e-324, NaN, Infinity, -Infinity],
    ],
    [
      "texts",
      `["", "a", "ä☃𝕏", "line\\n\\r\\x00\\\\u0041 \\\\", "\\ud800 half", "x" * 300]`,
      ["", "a", "ä☃𝕏", "line\n\r\0\\u0041 \\", "\ud800 half", "x".repeat(300)],
    ],
    [
      "bytes",
      `[b"", b"a\\xff\\x00", bytearray(b"b\\xfe"), bytearray(), b"y" * 300]`,
      [
        Buffer.alloc(0),
        Buffer.from("a\xff\0", "latin1"),
        Buffer.from("b\xfe", "latin1"),
        Buffer.alloc(0),
        Buffer.alloc(300, "y"),
      ],
    ],
    [
      "tuples and lists",
      "[(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], [[1]]]",
      [[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4], [], [[1]]],
    ],
    ["sets", "[set(), {1}, frozenset({2}), frozenset()]", [[], [1], [2], []]],
    [
      "dicts",
      "{'a': {'b': 1}, 1: 'one', 1.5: 'x', None: 0, True: 2, (1, 'x'): 3}",
      { a: { b: 1 }, "1": 2, "1.5": "x", null: 0, "(1, x)": 3 },
    ],
    ["a shared list", "(lambda x: [x, x, {'k': x}])([1, 2])", [[1, 2], [1, 2], { k: [1, 2] }]],
    ["many values", "list(range(3000))", Array.from({ length: 3000 }, (_, i) => i)],
    [
      "rollouts",
      "[{'prompt': 'p%d' % i, 'response': 'r' * i, 'reward': -999 if i == 1 else 0.5, 'infos': {}} for i in range(3)]",
      [0, 1, 2].map((i) => ({
        prompt: `p${i}`,
        response: "r".repeat(i),
        reward: i === 1 ? -999 : 0.5,
        infos: {},
      })),
    ],
  ];
  for (const [name, expression, expected] of plain)
    it(`reads ${name} of every protocol`, function () {
      needPython(this);
      for (const [protocol, bytes] of pickled(expression).entries())
        assert.deepEqual(read(bytes), [expected], `protocol ${protocol}`);
    });

  it("keeps a key named __proto__ as a key", function () {
    needPython(this);
    for (const bytes of pickled("{'__proto__': {'a': 1}}"))
      assert.equal(JSON.stringify(read(bytes)[0]), '{"__proto__":{"a":1}}');
  });

  it("reads what Python 2 wrote", () => {
    assert.deepEqual(read("(dp0\nS'a\\n\\x41\\''\np1\nI01\nsS\"b\"\nL12345678901234567890L\ns."), [
      { "a\nA'": true, b: 12345678901234567890n },
    ]);
    assert.deepEqual(read("\x80\x02]q\x00(U\x03abcT\x02\x00\x00\x00\xc3\xa9U\x01\xffe."), [
      ["abc", "é", "ÿ"],
    ]);
    assert.deepEqual(read("\x80\x02c__builtin__\nset\nq\x00]q\x01(K\x01K\x02e\x85q\x02Rq\x03."), [[1, 2]]);
  });

  it("reads several pickles in a row, with offsets", async function () {
    needPython(this);
    const path = `${folder.path}/many.pkl`;
    runProgram(
      "python3",
      ["-", path],
      [
        "import pickle, sys",
        "with open(sys.argv[1], 'wb') as f:",
        "    for i in range(5): pickle.dump({'step': i, 'text': 'x' * 700000}, f, protocol=i)",
      ].join("\n"),
    );
    let position = 0;
    const steps: unknown[] = [];
    for await (const { start, end, value, index } of readPickles(path)) {
      assert.equal(start, position);
      assert.equal(index, steps.length);
      position = end;
      assert.ok(typeof value === "object" && value !== null && "step" in value);
      steps.push(value.step);
    }
    assert.deepEqual(steps, [0, 1, 2, 3, 4]);
  });

  const imports: readonly [expression: string, setup: string, wanted: RegExp][] = [
    [
      "collections.OrderedDict(a=1)",
      "",
      /wants to import collections\.OrderedDict, but EvoTrainer reads only plain data, at byte \d+/,
    ],
    ["datetime.datetime(2020, 1, 1)", "", /datetime\.datetime/],
    ["decimal.Decimal('1.5')", "", /decimal\.Decimal/],
    ["print", "", /(builtins|__builtin__)\.print/],
    ["set", "", /wants to import (builtins|__builtin__)\.set/],
    [
      "E()",
      "class E:\n  def __reduce__(self): return (__import__('os').system, ('echo hacked',))",
      /(posix|nt)\.system/,
    ],
    ["E()", "class E:\n  def __init__(self): self.a = 1", /__main__\.E|_reconstructor/],
  ];
  for (const [expression, setup, wanted] of imports)
    it(`refuses ${expression} by name: ${String(wanted)}`, async function () {
      needPython(this);
      for (const bytes of pickled(expression, setup)) assert.match(await refusal(() => read(bytes)), wanted);
    });

  it("keeps objects as inert names and data on request", function () {
    needPython(this);
    const setup = "class E:\n  def __init__(self): self.a = [1]\nclass D(dict): pass\nd = D(x=1)\nd.y = 2";
    const expression =
      "[E(), collections.OrderedDict(a=1), collections.deque([1, 2]), d, print, decimal.Decimal('1.5')]";
    for (const [protocol, bytes] of pickled(expression, setup).entries()) {
      const [value] = read(bytes, { opaque: true });
      assert.ok(Array.isArray(value));
      const [e, ordered, deque, d, print, decimal] = value.map((v: unknown) =>
        v instanceof PickledObject ? v : assert.fail(),
      );
      assert.ok(e && ordered && deque && d && print && decimal);
      assert.deepEqual([e.$global, e.state], ["__main__.E", { a: [1] }]);
      assert.equal(ordered.$global, "collections.OrderedDict");
      // Protocols 0 and 1 of older Pythons give the pairs as an argument.
      assert.deepEqual(ordered.entries ?? ordered.args, [["a", 1]], `protocol ${protocol}`);
      assert.deepEqual([deque.$global, deque.items], ["collections.deque", [1, 2]]);
      assert.deepEqual([d.$global, d.state], ["__main__.D", { y: 2 }]);
      assert.match(print.$global, /print$/);
      assert.equal(print.args, null);
      assert.deepEqual(decimal.args, ["1.5"]);
    }
  });

  it("keeps calls, states and references of numpy and torch files inert", () => {
    const scalar =
      "\x80\x03cnumpy.core.multiarray\nscalar\nq\x00cnumpy\ndtype\nq\x01X\x02\x00\x00\x00f8q\x02K\x00K\x01\x87q\x03Rq\x04" +
      "(K\x03X\x01\x00\x00\x00<q\x05NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x06bC\x08\x00\x00\x00\x00\x00\x00\xf8?q\x07\x86q\x08Rq\t.";
    const [value] = read(scalar, { opaque: true });
    assert.ok(value instanceof PickledObject && value.$global === "numpy.core.multiarray.scalar");
    const [dtype, bytes] = value.args ?? [];
    assert.ok(dtype instanceof PickledObject && Buffer.isBuffer(bytes));
    assert.deepEqual([dtype.$global, dtype.args, bytes.readDoubleLE(0)], ["numpy.dtype", ["f8", 0, 1], 1.5]);
    assert.deepEqual(dtype.state, [3, "<", null, null, null, -1, -1, 0]);
    const [stored] = read("\x80\x02X\x01\x00\x00\x00kQ.", { opaque: true });
    assert.ok(stored instanceof PickledObject && stored.$global === "persistent_id");
  });

  /** A list of a list of … , each ten times the one before, by reference. */
  const laughs = (levels: number, item: string): string =>
    `\x80\x04${item}\x94${Array.from({ length: levels }, (_, i) => `](${`h${String.fromCharCode(i)}`.repeat(10)}e\x94`).join("")}.`;
  const length8 = (n: bigint): string => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(n);
    return bytes.toString("latin1");
  };
  const hostile: readonly [
    name: string,
    bytes: string,
    expected: RegExp,
    options?: Partial<PickleOptions>,
  ][] = [
    [
      "os.system by REDUCE",
      "cposix\nsystem\n(S'echo hacked'\ntR.",
      /wants to import posix\.system, but EvoTrainer reads only plain data, at byte 0/,
    ],
    ["os.system by STACK_GLOBAL", "\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x02ls\x85R.", /posix\.system/],
    ["os.system by INST", "(S'ls'\nios\nsystem\n.", /os\.system/],
    ["os.system by OBJ", "(cos\nsystem\nS'ls'\no.", /os\.system/],
    ["eval by NEWOBJ", "c__builtin__\neval\n(S'1'\nt\x81.", /__builtin__\.eval/],
    ["getattr through a plain name", "cbuiltins\nset\n(cbuiltins\ngetattr\ntR.", /builtins\.getattr/],
    ["a name made of escapes", "cevil\x1b[2J\nx\n.", /evil\\u001b\[2J\.x/],
    ["a plain maker with other arguments", "cbuiltins\nset\n(K\x01tR.", /wants to import builtins\.set/],
    ["an extension", "\x82\x05.", /copyreg\.extension\.5/],
    ["a persistent id", "Pabc\n.", /persistent id/],
    ["a persistent id from the stack", "K\x01Q.", /persistent id/],
    ["a buffer outside", "\x80\x05\x97.", /buffer of protocol 5/],
    ["a state on plain data", "]}b.", /sets the state of plain data/],
    ["a call of data", "](tR.", /calls something that is not a name/],
    ["a call of data, opaque", "](tR.", /calls something that is not a name/, { opaque: true }],
    ["nothing", "", /it is empty at byte 0/],
    ["no STOP", "\x80\x04K\x01", /ends before its STOP/],
    ["an unknown opcode", "\xff.", /unknown opcode 0xff at byte 0/],
    ["text", "hello", /cannot be read as a pickle/],
    ["protocol 6", "\x80\x06N.", /protocol after 5/],
    ["an empty stack", ".", /takes a value from an empty stack/],
    ["a value from below a mark", "K\x01(a.", /from an empty stack/],
    ["a missing mark", "t.", /closes a list that it did not open/],
    ["an unknown memo", "h\x07.", /recalls value 7, which it did not store/],
    ["a key without a value", "}(K\x01u.", /key without a value/],
    ["a list as a dict", "](K\x01K\x02u.", /sets a key of something that is not a dict/],
    ["a dict as a list", "}K\x01a.", /appends to something that is not a list/],
    ["a dict as a key", "}}K\x01s.", /dict key that is neither/],
    ["one key as text and number", "}(K\x01K\x02S'1'\nK\x03u.", /"1" both as a text and as something else/],
    ["one key as number and text", "}(S'1'\nK\x03K\x01K\x02u.", /"1" both as a text and as something else/],
    ["a text of 2 GB", "X\xff\xff\xff\x7f", /claims 2147483647 bytes, but only 0 remain/],
    ["bytes of 2^63", `\x8e${length8(2n ** 63n)}.`, /claims 9223372036854776000 bytes/],
    ["a string of negative length", "T\xff\xff\xff\xffabc.", /claims 4294967295 bytes/],
    ["a huge integer", `\x8b\x00\x00\x10\x00${"\x01".repeat(100)}`, /integer of 1048576 bytes/],
    ["an integer of many digits", `I${"9".repeat(5000)}\n.`, /line of more than 4300 bytes/],
    ["an invalid integer", "I0x10\n.", /an invalid integer/],
    ["an invalid float", "Fabc\n.", /an invalid float/],
    ["a string without quotes", "Sabc\n.", /string without quotes/],
    ["a line without an end", "I12", /ends in the middle of a line/],
    ["a text that is not UTF-8", "X\x02\x00\x00\x00\xc3\x28.", /text that is not UTF-8 at byte 5/],
    ["a list that contains itself", "]q\x00h\x00a.", /it contains itself/],
    ["a dict that contains itself", "}q\x00S'a'\nh\x00s.", /it contains itself/],
    ["an object whose state is itself", "(ia\nb\nq\x00h\x00b.", /it contains itself/, { opaque: true }],
    ["a billion laughs", laughs(12, "]"), /unfolds to more than 1073741824 bytes/],
    ["a hundred levels of laughs", laughs(100, "]"), /unfolds to more than/],
    ["a long text laughing", laughs(3, `X\x00\x00\x20\x00${"x".repeat(2 ** 21)}`), /unfolds to more than/],
    ["nesting 1,001 deep", `${"]".repeat(1001)}${"a".repeat(1000)}.`, /nests deeper than 1000/],
    ["nesting a million deep", `${"]".repeat(1e6)}${"a".repeat(1e6 - 1)}.`, /nests deeper than 1000/],
    ["tuples a million deep", `)${"\x85".repeat(1e6)}.`, /nests deeper than 1000/],
    ["depth by reference", `]${"q\x00](h\x00e".repeat(1100)}.`, /nests deeper than 1000/],
    ["a million marks", "(".repeat(1e6), /too many marks/, { maxObjects: 1000 }],
    ["too many objects", `${"]".repeat(2000)}.`, /more than 1000 objects/, { maxObjects: 1000 }],
    [
      "a memo full of holes",
      Array.from({ length: 1_000_002 }, (_, i) => `p${2 * i + 9}\n`)
        .join("")
        .replace(/^/, "]"),
      /out of order/,
    ],
    [
      "a long text",
      `X\x00\x00\x00\x01${"x".repeat(2 ** 24)}.`,
      /text of 16777216 bytes, over 1 MiB/,
      { maxStringBytes: 2 ** 20 },
    ],
    ["a long pickle", `${"N0".repeat(1000)}N.`, /longer than 500 bytes/, { maxBytes: 500 }],
  ];
  for (const [name, bytes, expected, options] of hostile)
    it(`refuses ${name}`, async () => {
      assert.match(await refusal(() => read(bytes, options)), expected);
    });

  it("accepts a depth of 1,000, and shared values that do not unfold too far", () => {
    assert.equal(JSON.stringify(read(`${"]".repeat(1000)}${"a".repeat(999)}.`)[0]).length, 2000);
    assert.equal(JSON.stringify(read(laughs(4, "]"))[0]).length > 10_000, true);
  });

  it("reads or refuses any bytes", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.nat(255),
            fc.constantFrom(...Buffer.from("().]}[{aeusqhtlQRbo2010NKIJ\x85\x86\x94\x8f\x90\x93", "latin1")),
          ),
          { maxLength: 80 },
        ),
        fc.boolean(),
        async (bytes, opaque) => {
          await readsOrRefuses(() => JSON.stringify(read(Buffer.from(bytes), { opaque }), bigints));
        },
      ),
      { numRuns: fuzzRuns(1000) },
    ));

  it("reads or refuses damaged pickles", async function () {
    needPython(this);
    const expression =
      "[{'prompt': 'p', 'r': -999, 'f': 0.5, 'n': [1, 2**70], 's': {1}, 'b': b'xx', 'o': collections.OrderedDict(a=1)}] * 2";
    const all = pickled(expression);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(all.length - 1).chain((i) => mutated(all[i] ?? Buffer.alloc(0))),
        fc.boolean(),
        async (bytes, opaque) => {
          await readsOrRefuses(() => read(bytes, { opaque }));
        },
      ),
      { numRuns: fuzzRuns(500) },
    );
  });
});

const bigints = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);
