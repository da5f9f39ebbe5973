import * as fc from "fast-check";

/** For tests: texts of well-typed expressions over a rollout, with every operator and function, of limited depth. */
type Text = fc.Arbitrary<string>;
type Turns = readonly string[];

const quoted = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007f");
const strings = [
  "",
  "pass",
  "bash",
  "edit",
  "a",
  "é",
  "🙂",
  "Z",
  "ab ab ab",
  "git log",
  "1",
  "-7",
  "2.5e1",
  "x'y",
  "\n",
  "｡",
];
const string: Text = fc.constantFrom(...strings).map(quoted);
const int: Text = fc.constantFrom(
  "0",
  "1",
  "-1",
  "2",
  "3",
  "7",
  "9223372036854775807",
  "-9223372036854775808",
  "4294967296",
);
const double: Text = fc.constantFrom(
  "0.0",
  "0.1",
  "-0.5",
  "1.0",
  "0.30000000000000004",
  "1e300",
  "-2.25",
  "1e-9",
);
const pattern: Text = fc
  .constantFrom(
    "a",
    "^g.t",
    "[é🙂]",
    "b+$",
    "(?i)PASS",
    ".",
    "a.b",
    String.raw`\d`,
    String.raw`^\s*$`,
    "git|ab",
    "git log|ZZ",
    "a(b|c)|é+",
    "x'y|🙂",
    "a*|b",
    "(?:ab )+a|q",
  )
  .map(quoted);
const filePattern: Text = fc.constantFrom(".", "a", "^src/", "(?i)TEST", "py$", "é|x'y").map(quoted);
const toolName: Text = fc.constantFrom("bash", "edit", "pytest", "nothing", "é").map(quoted);
const action: Text = fc.constantFrom("edit", "test", "search", "terminal", "other").map(quoted);
const component: Text = fc.constantFrom("tests", "format", "none").map(quoted);

const join = (parts: readonly Text[], of: (...texts: string[]) => string): Text =>
  fc.tuple(...parts).map((texts) => of(...texts));
const infix = (signs: readonly string[], a: Text, b: Text): Text =>
  fc.tuple(a, fc.constantFrom(...signs), b).map(([x, sign, y]) => `(${x} ${sign} ${y})`);

const order = ["<", "<=", ">", ">="];
const equality = ["==", "!="];

export function conditions(depth: number, turns: Turns = []): Text {
  if (depth <= 0)
    return fc.oneof(
      infix([...order, ...equality], ints(0, turns), ints(0, turns)),
      infix([...order, ...equality], doubles(0, turns), doubles(0, turns)),
      infix([...order, ...equality], texts(0, turns), texts(0, turns)),
      infix(equality, fc.oneof(texts(0, turns), doubles(0, turns), ints(0, turns)), fc.constant("null")),
      join([component], (a) => `${a} in components`),
      ...turns.map((t) =>
        fc.constantFrom(`${t}.ok`, `${t}.answers.ok`, `(${t}.action == "edit")`, `has(${t}.args.path)`),
      ),
    );
  const [condition, int1, double1, text1] = [
    conditions(depth - 1, turns),
    ints(depth - 1, turns),
    doubles(depth - 1, turns),
    texts(depth - 1, turns),
  ];
  const name = `t${turns.length}`;
  const inside = conditions(depth - 1, [...turns, name]);
  return fc.oneof(
    { weight: 3, arbitrary: infix(["&&", "||"], condition, condition) },
    join([condition], (a) => `!(${a})`),
    infix(equality, condition, condition),
    infix([...order, ...equality], int1, fc.oneof(int1, double1)),
    infix([...order, ...equality], double1, fc.oneof(int1, double1)),
    infix([...order, ...equality], text1, text1),
    join([text1, string, text1], (a, b, c) => `(${a} in [${b}, ${c}, "pass"])`),
    join([fc.oneof(int1, double1), int, double1], (a, b, c) => `(${a} in [${b}, ${c}])`),
    join([text1], (a) => `(${a} in [])`),
    join([condition, condition, condition], (a, b, c) => `(${a} ? ${b} : ${c})`),
    fc
      .tuple(text1, fc.constantFrom("contains", "startsWith", "endsWith"), text1)
      .map(([a, f, b]) => `(${a}).${f}(${b})`),
    join([text1, pattern], (a, b) => `(${a}).matches(${b})`),
    join([filePattern], (a) => `edits_file(${a})`),
    ...(turns.length < 2
      ? [
          {
            weight: 3,
            arbitrary: fc
              .tuple(fc.constantFrom("exists", "all"), inside)
              .map(([q, c]) => `turns.${q}(${name}, ${c})`),
          },
          join([inside, int], (c, n) => `(turns.filter(${name}, ${c}).size() >= ${n})`),
        ]
      : []),
  );
}

function ints(depth: number, turns: Turns): Text {
  const leaves = fc.oneof(
    int,
    fc.constantFrom(
      "step",
      "sample",
      "tokens",
      "seed",
      "n_turns",
      "n_messages",
      "n_tool_calls",
      "n_tool_errors",
      "n_tools",
      "longest_tool_streak",
      "streak_start",
      "streak_end",
      "turns.size()",
      "edited_files()",
      "repeated_calls()",
    ),
    join([toolName], (a) => `tool_count(${a})`),
    join([toolName], (a) => `first_turn(${a})`),
    join([toolName], (a) => `tool_streak(${a})`),
    fc
      .tuple(fc.constantFrom("action_count", "first_action", "action_streak"), action)
      .map(([f, a]) => `${f}(${a})`),
    ...turns.map((t) => fc.constantFrom(`${t}.index`, `${t}.tokens`, `${t}.answers.index`)),
  );
  if (depth <= 0) return leaves;
  const part = ints(depth - 1, turns);
  return fc.oneof(
    { weight: 2, arbitrary: leaves },
    infix(["+", "-", "*", "/", "%"], part, part),
    join([part], (a) => `-(${a})`),
    join([texts(depth - 1, turns)], (a) => `size(${a})`),
    join([doubles(depth - 1, turns)], (a) => `int(${a})`),
    join([texts(depth - 1, turns)], (a) => `int(${a})`),
    join([conditions(depth - 1, turns), part, part], (a, b, c) => `(${a} ? ${b} : ${c})`),
  );
}

function doubles(depth: number, turns: Turns): Text {
  const leaves = fc.oneof(
    double,
    fc.constantFrom("reward", "logprob_mean", "duration_ms", "components.tests"),
    join([component], (a) => `components[${a}]`),
    join([toolName], (a) => `tool_ratio(${a})`),
    fc.constantFrom("call_repetition(1)", "call_repetition(2)", "call_repetition(3)"),
    ...turns.map((t) =>
      fc.constantFrom(`${t}.ms`, `repetition(${t}.text, 2)`, `piece_repetition(${t}.text, 2)`),
    ),
  );
  if (depth <= 0) return leaves;
  const part = doubles(depth - 1, turns);
  const mixed = fc.oneof(part, ints(depth - 1, turns));
  return fc.oneof(
    { weight: 2, arbitrary: leaves },
    infix(["+", "-", "*", "/"], part, mixed),
    join([part], (a) => `-(${a})`),
    join([mixed], (a) => `abs(${a})`),
    fc.tuple(fc.constantFrom("min", "max"), part, mixed).map(([f, a, b]) => `${f}(${a}, ${b})`),
    join([ints(depth - 1, turns)], (a) => `double(${a})`),
    join([texts(depth - 1, turns)], (a) => `double(${a})`),
    join([texts(depth - 1, turns)], (a) => `repetition(${a}, 1)`),
  );
}

function texts(depth: number, turns: Turns): Text {
  const leaves = fc.oneof(
    string,
    fc.constantFrom(
      "id",
      "run",
      "split",
      "item",
      "group",
      "outcome",
      "unknown_reason",
      "stop_reason",
      "policy",
      "harness",
      "streak_tool",
    ),
    ...turns.map((t) =>
      fc.constantFrom(
        `${t}.role`,
        `${t}.text`,
        `${t}.tool`,
        `${t}.args.path`,
        `${t}.args["n"]`,
        `${t}.args.command`,
        `${t}.action`,
        `${t}.command`,
        `${t}.file`,
        `${t}.written`,
        `${t}.answers.tool`,
        `${t}.answers.action`,
        `${t}.answers.command`,
        `${t}.answers.args.path`,
      ),
    ),
  );
  if (depth <= 0) return leaves;
  const part = texts(depth - 1, turns);
  return fc.oneof(
    { weight: 3, arbitrary: leaves },
    infix(["+"], part, part),
    join([part], (a) => `(${a}).lowerAscii()`),
    join([ints(depth - 1, turns)], (a) => `string(${a})`),
    join([conditions(0, turns)], (a) => `string(${a})`),
    join([conditions(depth - 1, turns), part, part], (a, b, c) => `(${a} ? ${b} : ${c})`),
  );
}
