#!/usr/bin/env python3
"""The swe-gym trainer in torch: one file, Python 3.8 or newer, torch 1.13 to 2.x and the standard library.

It does what trainer.mjs does: the same items, tools, encoding, policy file, warm-up, GRPO, random streams, evidence and
exit codes. It reads the same environment variables (README.md beside it), and two more:
  EVO_DEVICE   where the policy is computed: cpu, cuda, cuda:1 …; CUDA where there is one when it is not set
  EVO_THREADS  threads of torch on a CPU; 1 when it is not set, because the matrices are small

Sections: random streams · YAML and schemas · harness · items · the mini language · rewrites · repositories · the tools ·
what a rollout has seen · encoding · network · rollouts · batches and losses · optimiser · reward and groups · imitation ·
evidence · training · evaluation · the run.
Shapes in docstrings: n decisions, c choices of a head, k candidates of all its choices.
"""
from __future__ import annotations

import importlib
import json
import math
import os
import re
import struct
import sys
import time
import warnings
from array import array
from datetime import datetime, timezone
from decimal import Decimal

torch = None  # imported by choose_device, seconds after a harness file that cannot be used was refused


class TrainerError(Exception):
    """What the user can mend; the message is one sentence. Exit code 1."""


class HarnessFileError(TrainerError):
    """A harness file that cannot be used; the message names file, line and key. Exit code 2."""


class BudgetExceeded(TrainerError):
    """The run took longer than EVO_BUDGET_SECONDS. Exit code 124."""


# --- Random streams -----------------------------------------------------------------------------------------------------

WORD = 0xFFFFFFFF


class Random:
    """mulberry32: everything random here comes from one of these."""

    __slots__ = ("state",)

    def __init__(self, seed):
        self.state = seed & WORD

    def next(self):
        """Uniform in [0, 1)."""
        t = self.state = (self.state + 0x6D2B79F5) & WORD
        t = ((t ^ (t >> 15)) * (t | 1)) & WORD
        t ^= (t + (t ^ (t >> 7)) * (t | 61)) & WORD
        return (t ^ (t >> 14)) / 4294967296

    def below(self, n):
        """Uniform integer in [0, n)."""
        return int(self.next() * n)

    def chance(self, probability):
        return self.next() < probability

    def pick(self, values):
        return values[self.below(len(values))]

    def shuffle(self, values):
        """A shuffled copy."""
        keys = [self.next() for _ in values]
        return [values[i] for i in sorted(range(len(keys)), key=keys.__getitem__)]

    def normal(self):
        radius = math.sqrt(-2 * math.log(1 - self.next()))
        return radius * math.cos(2 * math.pi * self.next())


def seed_of(*parts):
    """A 32-bit seed from any parts (FNV-1a), so that each rollout has its own stream whatever runs beside it."""
    value = 0x811C9DC5
    for ch in "\u0001".join(str(part) for part in parts):
        value = ((value ^ ord(ch)) * 0x01000193) & WORD
    value ^= value >> 16
    value = (value * 0x85EBCA6B) & WORD
    return value ^ (value >> 13)


# --- YAML ---------------------------------------------------------------------------------------------------------------
# The YAML that harness files are written in: block mappings of scalars, flow collections on one line, comments. Python
# brings no YAML, and readers of YAML 1.1 see other values than the engine does (no is false there, 1e-3 a text).


class YamlError(Exception):
    def __init__(self, line, message):
        super().__init__(message)
        self.line = line


class Mapping(dict):
    """A mapping that knows the line of each of its keys."""

    def __init__(self):
        super().__init__()
        self.lines = {}

    def add(self, key, value, line):
        if key in self:
            raise YamlError(line, "the key %s is there twice" % key)
        self[key] = value
        self.lines[key] = line


YAML_KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[A-Za-z0-9_][^\s:#,\[\]{}"'&*!|>%@`]*)\s*:(?=\s|$)""")
YAML_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'""")
YAML_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
YAML_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
YAML_WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
YAML_WORDS.update({"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False})
YAML_WORDS.update({sign + "." + name: float(sign + "inf") for sign in ("", "-", "+") for name in ("inf", "Inf", "INF")})
YAML_WORDS.update({"." + name: math.nan for name in ("nan", "NaN", "NAN")})


def unquote(token, line):
    if token.startswith("'"):
        return token[1:-1].replace("''", "'")
    try:
        return json.loads(token)
    except ValueError:
        raise YamlError(line, "%s has an escape that is not read here" % token)


def plain_scalar(token, line):
    if token in YAML_WORDS:
        return YAML_WORDS[token]
    if YAML_INTEGER.fullmatch(token):
        return int(token, 0) if token[:2] in ("0o", "0x") else int(token)
    if YAML_FLOAT.fullmatch(token):
        return float(token)
    if token[0] in "[]{},#&*!|>'\"%@`" or token.startswith(("- ", "? ", ": ")) or token in ("-", "?", ":"):
        raise YamlError(line, "%s is more YAML than harness files may have" % token)
    if ": " in token or token.endswith(":"):
        raise YamlError(line, "%s is a second value on one line" % token)
    return token


def without_comment(text):
    """The text up to a comment; # counts after a space or at the start, and not between quotes."""
    at = 0
    while at < len(text):
        if text[at] in "\"'" and (at == 0 or text[at - 1] in " [{,:"):
            quoted = YAML_QUOTED.match(text, at)
            at = quoted.end() if quoted else at + 1
        elif text[at] == "#" and (at == 0 or text[at - 1] in " \t"):
            return text[:at].rstrip()
        else:
            at += 1
    return text.rstrip()


class FlowReader:
    """One value of one line: a scalar, [a, b] or {a: b}."""

    def __init__(self, text, line):
        self.text = text
        self.line = line
        self.at = 0

    def whole(self):
        value = self.value(inside=False)
        self.skip()
        if self.at < len(self.text):
            raise YamlError(self.line, "%s was not expected here" % self.text[self.at :])
        return value

    def skip(self):
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1

    def value(self, inside):
        self.skip()
        head = self.text[self.at : self.at + 1]
        if head == "[":
            return self.collection("]")
        if head == "{":
            return self.collection("}")
        quoted = YAML_QUOTED.match(self.text, self.at)
        if quoted:
            self.at = quoted.end()
            return unquote(quoted.group(), self.line)
        start = self.at
        while self.at < len(self.text) and not (inside and self.text[self.at] in ",[]{}"):
            self.at += 1
        return plain_scalar(self.text[start : self.at].strip(), self.line)

    def collection(self, end):
        self.at += 1
        found = Mapping() if end == "}" else []
        while True:
            self.skip()
            if self.text[self.at : self.at + 1] == end:
                self.at += 1
                return found
            if end == "}":
                key = YAML_KEY.match(self.text, self.at)
                if key is None:
                    raise YamlError(self.line, "a key and a colon are missing between { and }")
                self.at = key.end()
                found.add(key_text(key.group(1), self.line), self.value(inside=True), self.line)
            else:
                found.append(self.value(inside=True))
            self.skip()
            if self.text[self.at : self.at + 1] == ",":
                self.at += 1
            elif self.text[self.at : self.at + 1] != end:
                raise YamlError(self.line, "the %s is missing on this line" % end)


def key_text(token, line):
    return unquote(token, line) if token[0] in "\"'" else token


def read_yaml(text):
    """The value of a document; raises YamlError with the line."""
    lines = []
    for number, raw in enumerate(text.lstrip("\ufeff").split("\n"), 1):
        content = without_comment(raw.rstrip("\r"))
        if content.strip() == "" or (content == "---" and not lines):
            continue
        indent = len(content) - len(content.lstrip(" "))
        if content[indent] == "\t":
            raise YamlError(number, "it is indented with a tab")
        lines.append((number, indent, content[indent:]))
    if not lines:
        return None
    number, indent, content = lines[0]
    if len(lines) == 1 and YAML_KEY.match(content) is None:
        return FlowReader(content, number).whole()
    value, after = read_block(lines, 0, indent)
    if after < len(lines):
        raise YamlError(lines[after][0], "its indentation fits nothing above it")
    return value


def read_block(lines, at, indent):
    """The mapping that begins at a line; answers it and the index of the line after it."""
    found = Mapping()
    while at < len(lines) and lines[at][1] == indent:
        number, _, content = lines[at]
        key = YAML_KEY.match(content)
        if key is None:
            raise YamlError(number, "%s is not a key with a colon" % content)
        rest = content[key.end() :].strip()
        at += 1
        deeper = at < len(lines) and lines[at][1] > indent
        if rest != "":
            value = FlowReader(rest, number).whole()
            if deeper:
                raise YamlError(lines[at][0], "it is indented below a key that has a value already")
        elif deeper:
            value, at = read_block(lines, at, lines[at][1])
        else:
            value = None
        found.add(key_text(key.group(1), number), value, number)
    return found, at


# --- Schemas ------------------------------------------------------------------------------------------------------------
# A schema is a function of a value and its path that answers the value as it is used, or raises Invalid.


class Invalid(Exception):
    def __init__(self, path, message):
        super().__init__(message)
        self.path = path


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def number(least=-math.inf, most=math.inf, above=-math.inf):
    def check(value, path):
        if not is_number(value):
            raise Invalid(path, "must be a number")
        if not (least <= value <= most and value > above):
            low = "more than %s" % show_number(above) if above > -math.inf else "at least %s" % show_number(least)
            raise Invalid(path, "must be " + low + ("" if most == math.inf else " and at most %s" % show_number(most)))
        return value

    return check


def integer(least=-(2**53) + 1, most=2**53 - 1):
    within = number(least, most)

    def check(value, path):
        if not is_number(value) or value != int(value):
            raise Invalid(path, "must be an integer")
        return int(within(value, path))

    return check


def text(least=0):
    def check(value, path):
        if not isinstance(value, str) or len(value) < least:
            raise Invalid(path, "must be a text" + (" that is not empty" if least else ""))
        return value

    return check


def matching(pattern, what):
    def check(value, path):
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise Invalid(path, what)
        return value

    return check


def one_of(*values):
    def check(value, path):
        if value not in values:
            raise Invalid(path, "must be " + " or ".join(values))
        return value

    return check


def optional(schema, default=None):
    """A field that may be missing; the default is what it has then."""
    return ("optional", schema, default)


def fields(**schemas):
    """A mapping with these keys and no others."""

    def check(value, path):
        if not isinstance(value, dict):
            raise Invalid(path, "must be a mapping")
        for key in value:
            if key not in schemas:
                raise Invalid(path + (key,), "is not a key here; there are " + ", ".join(schemas))
        found = {}
        for key, schema in schemas.items():
            if isinstance(schema, tuple):
                _, schema, default = schema
                if key not in value:
                    found[key] = default
                    continue
            elif key not in value:
                raise Invalid(path + (key,), "is missing")
            found[key] = schema(value[key], path + (key,))
        return found

    return check


def record(key_schema, schema):
    """A mapping with keys of one kind and values of one kind."""

    def check(value, path):
        if not isinstance(value, dict):
            raise Invalid(path, "must be a mapping")
        return {key_schema(key, path + (key,)): schema(each, path + (key,)) for key, each in value.items()}

    return check


def listing(schema, least=0):
    def check(value, path):
        if not isinstance(value, list) or len(value) < least:
            raise Invalid(path, "must be a list" + (" that is not empty" if least else ""))
        return [schema(each, path + (i,)) for i, each in enumerate(value)]

    return check


# --- Harness ------------------------------------------------------------------------------------------------------------

TRAIN = fields(
    steps=integer(1, 100000),
    prompts=integer(1, 1024),
    group=integer(2, 64),
    optimisation=fields(
        learningRate=number(above=0, most=1),
        clip=number(above=0, most=1),
        kl=number(least=0),
        entropy=number(least=0),
        epochs=integer(1, 16),
        minibatches=integer(1, 64),
    ),
    sampling=fields(temperature=number(above=0, most=10)),
    warmup=fields(
        demonstrations=integer(1, 100000),
        epochs=integer(1, 100),
        learningRate=number(above=0, most=1),
        turnLimit=integer(2, 100),
    ),
    evidence=fields(every=integer(1), checkpointEvery=integer(1)),
)
ENVIRONMENT = fields(turnLimit=integer(2, 100), history=one_of("hidden", "visible"))
CURRICULUM = fields(order=one_of("random", "easy-first"))
EVALUATION = fields(samples=integer(1, 64), temperature=number(above=0, most=10), seed=integer(0))

NAME = matching(
    re.compile(r"[a-z0-9][a-z0-9_-]{0,63}"),
    "use 1 to 64 lower-case letters, digits, - or _, starting with a letter or digit",
)
DERIVED = "n_turns n_messages n_tool_calls n_tool_errors n_tools longest_tool_streak tokens duration_ms".split()
SIGNAL = matching(
    re.compile(r"[a-z0-9][a-z0-9_-]{0,63}|rollout\.(?:%s)|rollout\.tool_count\.\S{1,100}" % "|".join(DERIVED)),
    "must be the name of a component",
)
FILTER = fields(
    kind=optional(one_of("none", "std", "outcome"), "none"),
    mode=optional(one_of("absolute", "top-p"), "absolute"),
    warmup=optional(integer(0)),
    keep=optional(number(above=0, most=1), 0.9),
    decay=optional(number(above=0, most=1), 0.1),
    minKeep=optional(number(least=0, most=1), 0.5),
)
REWARD = fields(
    apiVersion=one_of("evotrainer/v1"),
    kind=one_of("Reward"),
    name=NAME,
    components=record(
        NAME,
        fields(
            signal=optional(SIGNAL),
            above=optional(number()),
            shape=optional(one_of("linear", "flat", "binary"), "linear"),
            weight=number(),
        ),
    ),
    filter=optional(FILTER, FILTER({}, ())),
)


def known_signals(value, path):
    """A reward that is made of what the verdict has: a signal that is not there would count as 0."""
    reward = REWARD(value, path)
    for name, signal, _ in active_terms(reward):
        if signal.startswith("rollout."):
            message = "%s is known to backtests only; this trainer has no such signal" % signal
            raise Invalid(path + ("components", name), message)
    return reward


class Harness:
    """Every harness file of a project; raises HarnessFileError at the first one that cannot be used."""

    def __init__(self, root):
        self.train = load_harness(root, "harness/train.yaml", TRAIN)
        self.environment = load_harness(root, "harness/environment.yaml", ENVIRONMENT)
        self.curriculum = load_harness(root, "harness/curriculum.yaml", CURRICULUM)
        self.evaluation = load_harness(root, "harness/evaluation.yaml", EVALUATION)
        self.reward = load_harness(root, "harness/main.reward.yaml", known_signals)


def load_harness(root, name, schema):
    try:
        with open(os.path.join(root, name), encoding="utf-8") as file:
            source = file.read()
    except OSError:
        raise HarnessFileError("%s cannot be read; run the trainer in a checkout of the project." % name)
    except UnicodeDecodeError:
        raise HarnessFileError("%s is not UTF-8 text." % name)
    try:
        value = read_yaml(source)
    except YamlError as e:
        raise HarnessFileError("%s:%d is not valid YAML: %s." % (name, e.line, e))
    try:
        return schema(value, ())
    except Invalid as e:
        key = ".".join(str(part) for part in e.path) or "the document"
        raise HarnessFileError("%s:%d: %s: %s." % (name, line_of(value, e.path), key, e))


def line_of(value, path):
    """The line of the deepest key of a path that is there."""
    line = 1
    for part in path:
        if not isinstance(value, Mapping) or part not in value:
            break
        line = value.lines[part]
        value = value[part]
    return line


# --- Items --------------------------------------------------------------------------------------------------------------


def scalar(value, path):
    if isinstance(value, str) or is_number(value):
        return value
    raise Invalid(path, "must be a number or a text")


def test_case(value, path):
    if not isinstance(value, list) or len(value) != 3:
        raise Invalid(path, "must be function, arguments and expected value")
    name, args, expected = value
    args = listing(scalar)(args, path + (1,))
    return TestCase(text()(name, path + (0,)), tuple(args), scalar(expected, path + (2,)))


class TestCase:
    """Function, arguments, expected value."""

    __slots__ = ("name", "args", "expected")

    def __init__(self, name, args, expected):
        self.name = name
        self.args = args
        self.expected = expected


ITEM = fields(
    id=text(1),
    difficulty=number(0, 1),
    family=text(),
    issue=fields(title=text(), body=text(), terms=listing(text(), 1)),
    files=listing(fields(name=text(), text=text()), 1),
    fix=listing(fields(file=text(), line=integer(), text=text()), 1),
    upstream=fields(commit=text(), author=text(), message=text()),
    visible=listing(test_case, 1),
    hidden=listing(test_case, 1),
)


def load_items(root, split):
    """The parsed items of a split; raises with the line number at the first line that is not an item."""
    name = "data/%s.jsonl" % split
    try:
        with open(os.path.join(root, name), encoding="utf-8") as file:
            lines = file.read().split("\n")
    except (OSError, UnicodeDecodeError):
        raise TrainerError("%s cannot be read; run the trainer in a checkout of the project." % name)
    items = []
    for number_, line in enumerate(lines, 1):
        if line.strip() == "":
            continue
        try:
            value = json.loads(line)
        except ValueError:
            raise TrainerError("%s:%d is not JSON; write one item per line." % (name, number_))
        try:
            items.append(ParsedItem(ITEM(value, ())))
        except Invalid as e:
            path = ".".join(str(part) for part in e.path)
            raise TrainerError("%s:%d is not an item: %s %s." % (name, number_, path, e))
    if not items:
        raise TrainerError("%s has no items." % name)
    return items


# --- The mini language --------------------------------------------------------------------------------------------------
# A function is a header and statements:
#   let NAME = EXPR · if TERM CMP TERM : return EXPR · return EXPR
# EXPR is TERM (BINARY TERM)*, from left to right without precedence; TERM is an optional unary word and a name, an
# integer or a "quoted" text. What cannot be computed gives an error value, never an exception.

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
BINARIES = ("+", "-", "*", "/", "%", "max", "min", "++", "take", "drop")
UNARIES = ("upper", "lower", "reverse", "trim", "first", "last", "abs", "neg", "len")
CONSTANTS = ("0", "1", "2", "3", "10", "100")
DIGITS = re.compile(r"[0-9]+")


class Failure(Exception):
    pass


def tokenize(line):
    return tuple(line.split())


def exact(value):
    """A number as a double holds it, so that large values do not become more exact than they are elsewhere."""
    if isinstance(value, int) and abs(value) > 2**53:
        try:
            return float(value)
        except OverflowError:
            return math.copysign(math.inf, value)
    return value


def type_of(value):
    return "string" if isinstance(value, str) else "number"


def operand(tokens, at, scope):
    if at >= len(tokens):
        raise Failure("the expression ends early")
    token = tokens[at]
    if token in scope:
        return scope[token]
    if DIGITS.fullmatch(token):
        return exact(int(token))
    if token.startswith('"') and token.endswith('"'):
        return token[1:-1]
    raise Failure("unknown name %s" % token)


TEXT_UNARIES = {
    "upper": str.upper,
    "lower": str.lower,
    "reverse": lambda x: x[::-1],
    "trim": str.strip,
    "first": lambda x: x[:1],
    "last": lambda x: x[-1:],
    "len": len,
}


def unary(op, x):
    if isinstance(x, str):
        if op in TEXT_UNARIES:
            return TEXT_UNARIES[op](x)
    elif op == "abs":
        return abs(x)
    elif op == "neg":
        return -x if x != 0 else 0
    raise Failure("%s does not take a %s" % (op, type_of(x)))


def divide(x, y):
    if y == 0:
        raise Failure("division by zero")
    quotient = x / y
    return exact(math.floor(quotient)) if math.isfinite(quotient) else quotient


def remainder(x, y):
    if y == 0:
        raise Failure("division by zero")
    return x % y if math.isfinite(x) else math.nan


ARITHMETIC = {
    "+": lambda x, y: exact(x + y),
    "-": lambda x, y: exact(x - y),
    "*": lambda x, y: exact(x * y),
    "/": divide,
    "%": remainder,
    "max": max,
    "min": min,
}


def binary(op, x, y):
    if op == "++":
        return (x if isinstance(x, str) else show_number(x)) + (y if isinstance(y, str) else show_number(y))
    if not isinstance(y, str):
        if not isinstance(x, str):
            if op in ARITHMETIC:
                return ARITHMETIC[op](x, y)
        elif op in ("take", "drop"):
            at = len(x) if y > len(x) else max(0, int(y))
            return x[:at] if op == "take" else x[at:]
    raise Failure("%s does not take %s and %s" % (op, type_of(x), type_of(y)))


def compare(op, x, y):
    if op == "==":
        return x == y
    if op == "!=":
        return x != y
    if isinstance(x, str) != isinstance(y, str):
        raise Failure("%s does not take %s and %s" % (op, type_of(x), type_of(y)))
    if op == "<":
        return x < y
    if op == "<=":
        return x <= y
    return x > y if op == ">" else x >= y


def term(tokens, at, scope):
    """The value of the term at a place, and where it ends."""
    if at < len(tokens) and tokens[at] in UNARIES:
        return unary(tokens[at], operand(tokens, at + 1, scope)), at + 2
    return operand(tokens, at, scope), at + 1


def expression(tokens, start, scope):
    value, at = term(tokens, start, scope)
    while at < len(tokens):
        op = tokens[at]
        if op not in BINARIES:
            raise Failure("unexpected %s" % op)
        right, at = term(tokens, at + 1, scope)
        value = binary(op, value, right)
    return value


def statement(tokens, scope):
    """Runs one statement; answers the returned value, or None to go on."""
    keyword = tokens[0] if tokens else ""
    if keyword == "return":
        return expression(tokens, 1, scope)
    if keyword == "let":
        value = expression(tokens, 3, scope)
        scope[tokens[1]] = value
        return None
    if keyword == "if":
        left, at = term(tokens, 1, scope)
        op = tokens[at] if at < len(tokens) else ""
        if op not in COMPARISONS:
            raise Failure("unexpected %s" % op)
        right, colon = term(tokens, at + 1, scope)
        return expression(tokens, colon + 2, scope) if compare(op, left, right) else None
    raise Failure("unknown statement %s" % keyword)


def show_number(x):
    """A number as JavaScript writes it."""
    if isinstance(x, int) and abs(x) <= 2**53:
        return str(x)
    x = float(x)
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "Infinity" if x > 0 else "-Infinity"
    if x == 0:
        return "0"
    if not 1e-6 <= abs(x) < 1e21:
        return re.sub(r"e([-+])0*", r"e\1", repr(x))
    digits = "{:f}".format(Decimal(repr(x)))
    return digits[:-2] if digits.endswith(".0") else digits


def show(value):
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else show_number(value)


# --- Rewrites -----------------------------------------------------------------------------------------------------------

FAMILIES = "boundary direction sign scale extreme case end transform constant variable".split()
PAIRS = (
    ("boundary", "<", "<="),
    ("boundary", ">", ">="),
    ("direction", "<", ">"),
    ("direction", "<=", ">="),
    ("sign", "+", "-"),
    ("scale", "*", "/"),
    ("extreme", "max", "min"),
    ("case", "upper", "lower"),
    ("end", "first", "last"),
    ("end", "take", "drop"),
    ("transform", "abs", "neg"),
    ("constant", "0", "1"),
    ("constant", "1", "2"),
    ("constant", "10", "100"),
)
ALTERNATIVES = {}
for _family, _a, _b in PAIRS:
    ALTERNATIVES.setdefault(_a, []).append((_b, _family))
    ALTERNATIVES.setdefault(_b, []).append((_a, _family))

VARIABLE = re.compile(r"[a-z_][A-Za-z0-9_]*")
PHRASES = (
    "wrong exactly at the limit",
    "off when both values are equal",
    "reacts the wrong way round",
    "does the opposite of what it says",
    "the result moves the wrong way",
    "the result is off by twice the input",
    "the result is off by a large factor",
    "picks the wrong one of two values",
    "letters come out in the wrong case",
    "keeps the wrong end of the text",
    "the input comes out twisted",
    "the result is slightly off",
    "mixes up its inputs",
)
ISSUE_WORDS = sorted({word for phrase in PHRASES for word in phrase.split(" ")})


def is_variable(token):
    """Whether the token is a name that the function binds (and not a keyword, an operator or a literal)."""
    return (
        VARIABLE.fullmatch(token) is not None
        and token not in ALTERNATIVES
        and token not in ("let", "if", "return", "len")
    )


def family_of(before, after):
    for to, family in ALTERNATIVES.get(before, ()):
        if to == after:
            return family
    return "variable"


def neighbours(scope, name):
    """The names next to one in the order of binding: those that are mixed up most easily."""
    if name not in scope:
        return []
    at = scope.index(name)
    around = [scope[(at + 1) % len(scope)], scope[at - 1]]
    return [n for n in dict.fromkeys(around) if n != name]


def rewrites_of(tokens, scope):
    """Every single-token rewrite of a statement as (at, from, to), in reading order."""
    found = []
    for at, token in enumerate(tokens):
        if tokens[0] == "let" and at == 1:
            continue
        found.extend((at, token, to) for to, _ in ALTERNATIVES.get(token, ()))
        if is_variable(token) and token not in CONSTANTS:
            found.extend((at, token, to) for to in neighbours(scope, token))
    return found


# --- Repositories -------------------------------------------------------------------------------------------------------

HEADER = re.compile(r"fn ([A-Za-z0-9_]+)")
PARAMETERS = re.compile(r"\(([^)]*)\)")


class SourceLine:
    """A line of a file: its text as tokens, and the function it belongs to ("" for blank lines)."""

    __slots__ = ("kind", "owner", "tokens", "text", "changes", "rows")

    def __init__(self, kind, owner, tokens):
        self.kind = kind
        self.owner = owner
        self.tokens = tokens
        self.text = ("  " if kind == "statement" else "") + " ".join(tokens)
        self.changes = None  # what changes_of found
        self.rows = {}  # encodings of the tokens, by place

    def parameters(self):
        inside = PARAMETERS.search(self.text)
        return [p.strip() for p in (inside.group(1) if inside else "").split(",")]


class SourceFile:
    """A file as it is at one moment; an edit makes another one."""

    __slots__ = ("name", "lines", "headers", "editable")

    def __init__(self, name, lines):
        self.name = name
        self.lines = lines
        self.headers = [(i, line) for i, line in enumerate(lines) if line.kind == "header"]
        self.editable = None  # what editable_lines found

    def with_line(self, index, line):
        return SourceFile(self.name, self.lines[:index] + [line] + self.lines[index + 1 :])


class SourceFunction:
    """A function and what it gave for the tests that it was run on."""

    __slots__ = ("parameters", "body", "results")

    def __init__(self, parameters, body):
        self.parameters = parameters
        self.body = body
        self.results = {}

    def run(self, test):
        result = self.results.get(test)
        if result is None:
            result = self.results[test] = TestResult(test, *self.call(test.args))
        return result

    def call(self, args):
        """(value, None), or (None, error) where it cannot be computed."""
        scope = dict(zip(self.parameters, args))
        try:
            for tokens in self.body:
                value = statement(tokens, scope)
                if value is not None:
                    return value, None
        except Failure as e:
            return None, str(e)
        return None, "no value returned"


class TestResult:
    __slots__ = ("test", "value", "error", "passed")

    def __init__(self, test, value, error):
        self.test = test
        self.value = value
        self.error = error
        self.passed = error is None and value == test.expected


def parse_file(name, source):
    raw = source.split("\n")
    owners = [HEADER.match(line) for line in raw]
    owners = [match and match.group(1) for match in owners]
    lines = []
    owner = ""  # of the statements that follow
    for i, line in enumerate(raw):
        if line.startswith("#"):
            after = owners[i + 1] if i + 1 < len(raw) else None
            lines.append(SourceLine("comment", after or "", tokenize(line)))
        elif owners[i]:
            owner = owners[i]
            lines.append(SourceLine("header", owner, tokenize(line)))
        elif line.strip() == "":
            lines.append(SourceLine("blank", "", ()))
        else:
            lines.append(SourceLine("statement", owner, tokenize(line)))
    return SourceFile(name, lines)


def scope_at(file, index):
    """Names that a statement may use: the parameters and the lets before it."""
    owner = file.lines[index].owner
    scope = []
    for line in file.lines[:index]:
        if line.owner != owner:
            continue
        if line.kind == "header":
            scope.extend(line.parameters())
        elif line.kind == "statement" and line.tokens[0] == "let" and is_variable("".join(line.tokens[1:2])):
            scope.append(line.tokens[1])
    return scope


class ParsedItem:
    """An item with its parsed files; its rollouts share functions and what those gave for the tests."""

    def __init__(self, item):
        self.item = item
        self.id = item["id"]
        self.difficulty = item["difficulty"]
        self.visible = item["visible"]
        self.hidden = item["hidden"]
        self.files = [parse_file(f["name"], f["text"]) for f in item["files"]]
        self.file_names = [f.name for f in self.files]
        self.known = {}
        self.functions = {h.owner: self.function(f, h) for f in self.files for _, h in f.headers}
        self._broken = None

    def function(self, file, header):
        """The function of a header as the file has it now."""
        body = tuple(x.tokens for x in file.lines if x.kind == "statement" and x.owner == header.owner)
        key = (header.text, body)
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = SourceFunction(header.parameters(), body)
        return known

    def broken_share(self):
        """Share of the hidden tests that pass before anything is repaired."""
        if self._broken is None:
            self._broken = share(Repository(self).run(self.hidden))
        return self._broken


class Repository:
    """The working copy of one rollout."""

    __slots__ = ("parsed", "files", "functions")

    def __init__(self, parsed):
        self.parsed = parsed
        self.files = {f.name: f for f in reversed(parsed.files)}
        self.functions = dict(parsed.functions)

    def edit(self, name, index, tokens):
        """Replaces a statement; answers the line before and after, or None when there is no statement there."""
        file = self.files.get(name)
        if file is None or index >= len(file.lines) or file.lines[index].kind != "statement":
            return None
        before = file.lines[index]
        after = SourceLine("statement", before.owner, tokens)
        changed = self.files[name] = file.with_line(index, after)
        header = next((h for _, h in file.headers if h.owner == before.owner), None)
        if header is not None:
            self.functions[before.owner] = self.parsed.function(changed, header)
        return before, after

    def run(self, tests):
        results = []
        for test in tests:
            function = self.functions.get(test.name)
            if function is None:
                results.append(TestResult(test, None, "no function %s" % test.name))
            else:
                results.append(function.run(test))
        return results


def share(results):
    return sum(r.passed for r in results) / len(results)


# --- The tools ----------------------------------------------------------------------------------------------------------

TOOLS = ("search", "open", "edit", "run_tests", "history", "submit")
ECHO_STREAK = 8  # calls of one tool at the end of a cut off rollout


class Call:
    """A tool call. argument: the query of a search, the file to open, (file, line from 0, tokens) or None of an edit."""

    __slots__ = ("tool", "argument")

    def __init__(self, tool, argument=None):
        self.tool = tool
        self.argument = argument


class Result:
    """
    What a tool answers; it is all that a policy learns about the repository. value: hits as (file, line, owner, text) of
    search, the SourceFile of open, (text before, SourceLine) of edit, TestResults of run_tests, patches as (file, line,
    before, after) of history. why: the reason where it is not ok.
    """

    __slots__ = ("ok", "value", "why")

    def __init__(self, value=None, why=None):
        self.ok = why is None
        self.value = value
        self.why = why


class Verdict:
    """How a finished rollout is judged, and the raw signals that a reward may be composed of."""

    __slots__ = ("passed", "stop", "components")

    def __init__(self, passed, stop, components):
        self.passed = passed
        self.stop = stop
        self.components = components


class Session:
    """One rollout's session with one repository."""

    def __init__(self, parsed, turn_limit, history):
        self.parsed = parsed
        self.turn_limit = turn_limit
        self.history = history
        self.exchanges = []  # (Call, Result)
        self.repository = Repository(parsed)
        self.submitted = False

    def is_over(self):
        return self.submitted or len(self.exchanges) >= self.turn_limit

    def step(self, call):
        result = getattr(self, "_" + call.tool)(call.argument)
        self.exchanges.append((call, result))
        return result

    def _search(self, query):
        hits = []
        for name in self.parsed.file_names:
            headers = self.repository.files[name].headers
            hits.extend((name, i, line.owner, line.text) for i, line in headers if query in line.text)
        return Result(hits)

    def _open(self, name):
        return Result(self.repository.files.get(name) or SourceFile(name, []))

    def _edit(self, target):
        if target is None:
            return Result(why="No file is open; open one first.")
        edited = self.repository.edit(*target)
        if edited is None:
            return Result(why="There is no statement on that line.")
        return Result((edited[0].text, edited[1]))

    def _run_tests(self, _):
        return Result(self.repository.run(self.parsed.visible))

    def _history(self, _):
        if self.history == "hidden":
            return Result(why="The repository history is not available.")
        patches = []
        for fix in self.parsed.item["fix"]:
            file = next((f for f in self.parsed.files if f.name == fix["file"]), None)
            at = fix["line"] - 1
            inside = file is not None and 0 <= at < len(file.lines)
            patches.append((fix["file"], at, file.lines[at].text if inside else "", fix["text"]))
        return Result(patches)

    def _submit(self, _):
        self.submitted = True
        return Result()

    def judge(self):
        """Judges the rollout as it stands. What was never submitted counts as nothing done."""
        tools = [call.tool for call, _ in self.exchanges]
        edits = [i for i, (call, result) in enumerate(self.exchanges) if call.tool == "edit" and result.ok]
        hidden = share(self.repository.run(self.parsed.hidden))
        passed = self.submitted and len(edits) > 0 and hidden == 1
        counted = hidden if self.submitted and edits else 0
        fixed = {fix["file"] for fix in self.parsed.item["fix"]}
        right = sum(self.exchanges[i][0].argument[0] in fixed for i in edits)
        tests = tools[edits[0] :].count("run_tests") if edits else 0
        components = {
            "correctness": counted,
            "visible_pass": share(self.repository.run(self.parsed.visible)) if counted > 0 else 0,
            "search_before_edit": 1 if edits and "search" in tools[: edits[0]] else 0,
            "edit_then_test": 1 if edits and "run_tests" in tools[edits[-1] :] else 0,
            "iterative_debug": min(1, tests / self.turn_limit),
            "efficiency": 1 / max(1, len(tools)),
            "right_file": right / len(edits) if edits else 0,
            "submitted": 1 if self.submitted else 0,
        }
        return Verdict(passed, self.stop_reason(tools, edits, passed, hidden), components)

    def stop_reason(self, tools, edits, passed, hidden):
        if self.submitted:
            if passed:
                return "success"
            if not edits:
                return "abandon"
            return "partial" if hidden > self.parsed.broken_share() else "fail"
        if final_streak(tools) >= ECHO_STREAK:
            return "echo_trap"
        return "max_turns" if edits else "idle"


def final_streak(tools):
    """Length of the run of one tool at the end of a rollout."""
    streak = 0
    while streak < len(tools) and tools[-1 - streak] == tools[-1]:
        streak += 1
    return streak


# --- What a rollout has seen --------------------------------------------------------------------------------------------

SYMPTOMS = (
    "too small",
    "too large",
    "sign flipped",
    "off by one or two",
    "far off",
    "one instead of another choice",
    "wrong case",
    "wrong text",
    "error",
)


class Candidate:
    """A way to change a line: one token of its original text replaced, or the original text again."""

    __slots__ = ("at", "before", "after", "tokens", "text", "row")

    def __init__(self, at, before, after, tokens):
        self.at = at
        self.before = before
        self.after = after
        self.tokens = tokens
        self.text = "  " + " ".join(tokens)
        self.row = None  # its encoding without what the rollout has seen


class Line:
    """An editable line of the open file."""

    __slots__ = ("index", "line", "candidates")

    def __init__(self, index, line, candidates):
        self.index = index
        self.line = line
        self.candidates = candidates


def changes_of(original, file, index):
    """Changes of a line as it was first; all rollouts of an item share them."""
    if original.changes is None:
        tokens = original.tokens
        original.changes = [
            Candidate(at, before, after, tokens[:at] + (after,) + tokens[at + 1 :])
            for at, before, after in rewrites_of(tokens, scope_at(file, index))
        ]
    return original.changes


def editable_lines(file, originals):
    """The changes that a statement may get; an edited one is offered changes of its original, and the original itself."""
    found = []
    for index, line in enumerate(file.lines):
        if line.kind != "statement":
            continue
        original = originals.get((file.name, index), line)
        changes = changes_of(original, file, index)
        differing = [i for i, token in enumerate(line.tokens) if i >= len(original.tokens) or token != original.tokens[i]]
        if not differing:
            if changes:
                found.append(Line(index, line, changes))
            continue
        at = differing[0]
        back = Candidate(at, line.tokens[at], original.tokens[at], original.tokens)
        found.append(Line(index, line, [c for c in changes if c.text != line.text] + [back]))
    return found


class Memory:
    """
    What one rollout has seen: the issue, and what the tools answered. The encoding is made from this alone, so nothing
    that no tool has shown can reach the policy. Places are keys (file, line from 0).
    """

    def __init__(self, parsed):
        issue = parsed.item["issue"]
        self.issue_words = re.split(r"[:\s]+", issue["title"])
        self.file_names = parsed.file_names
        self.terms = [(t, "body" if i else "title") for i, t in enumerate(issue["terms"])]
        self.searched = set()
        self.hit_files = {}
        self.last_hits = {}
        self.hit_owners = set()
        self.home = {}
        self.opened = {}
        self.counts = dict.fromkeys(TOOLS, 0)
        self.tried = set()  # (place, text)
        self.originals = {}  # each edited line before its first edit
        self.edited_owners = set()
        self.edited_files = set()
        self.failing = {}  # an ordered set
        self.passing = set()
        self.symptoms = set()
        self.patches = {}
        self.current = None
        self.turns = 0
        self.streak = 0
        self.last_tool = None
        self.last_ok = True
        self.tested = False
        self.failures = 0
        self.failures_before = None
        self.edits_since_test = 0
        self.last_edit = None  # a place

    def lines(self):
        """The editable lines of the open file."""
        file = None if self.current is None else self.opened.get(self.current)
        if file is None:
            return []
        if file.editable is None:
            file.editable = editable_lines(file, self.originals)
        return file.editable

    def pending(self, name):
        """Number of lines of the upstream repair, as far as it was shown, that the file as last seen does not have."""
        count = 0
        for (file, index), after in self.patches.items():
            if file != name:
                continue
            seen = self.opened.get(file)
            if seen is None or not 0 <= index < len(seen.lines) or seen.lines[index].text != after:
                count += 1
        return count

    def observe(self, call, result):
        tool = call.tool
        self.turns += 1
        self.streak = self.streak + 1 if self.last_tool == tool else 1
        self.last_tool = tool
        self.last_ok = result.ok
        self.counts[tool] += 1
        if tool == "search":
            self.observe_search(call.argument, result.value)
        elif tool == "open":
            self.observe_file(result.value)
        elif tool == "edit" and result.ok:
            self.observe_edit(call.argument, *result.value)
        elif tool == "run_tests":
            self.observe_tests(result.value)
        elif tool == "history" and result.ok:
            for file, line, _, after in result.value:
                self.patches[(file, line)] = after

    def observe_search(self, query, hits):
        self.searched.add(query)
        self.last_hits.clear()
        for file, _, owner, _ in hits:
            self.last_hits[file] = self.last_hits.get(file, 0) + 1
            self.hit_files[file] = self.hit_files.get(file, 0) + 1
            self.hit_owners.add(owner)
            self.home[owner] = file

    def observe_file(self, file):
        self.current = file.name
        self.opened[file.name] = file
        for _, line in file.headers:
            self.home[line.owner] = file.name

    def observe_edit(self, target, before, line):
        name, index, _ = target
        file = self.opened.get(name)
        if file is None:
            return
        place = (name, index)
        self.originals.setdefault(place, file.lines[index])
        self.tried.add((place, before))
        self.tried.add((place, line.text))
        self.opened[name] = file.with_line(index, line)
        self.edited_owners.add(line.owner)
        self.edited_files.add(name)
        self.edits_since_test += 1
        self.last_edit = place

    def observe_tests(self, results):
        self.failures_before = self.failures if self.tested else None
        self.tested = True
        self.edits_since_test = 0
        failed = [r for r in results if not r.passed]
        self.failing = dict.fromkeys(r.test.name for r in failed)
        self.passing = {r.test.name for r in results if r.passed}.difference(self.failing)
        self.failures = len(failed)
        self.symptoms = {s for r in failed for s in read_symptoms(r)}
        for name in self.failing:
            if all(name != t for t, _ in self.terms):
                self.terms.append((name, "report"))


def read_numbers(got, expected, args):
    found = ["too small" if got < expected else "too large"]
    gap = abs(got - expected)
    if got == -expected:
        found.append("sign flipped")
    if gap <= 2:
        found.append("off by one or two")
    if gap > 20 and (gap > 2 * abs(expected) or gap > 2 * abs(got)):
        found.append("far off")
    if got in args:
        found.append("one instead of another choice")
    return found


def read_symptoms(result):
    """What a failing test shows about the mistake."""
    if result.error is not None:
        return ["error"]
    got, expected = result.value, result.test.expected
    if isinstance(got, str) != isinstance(expected, str):
        return ["wrong text"]
    if not isinstance(got, str):
        return read_numbers(got, expected, result.test.args)
    return ["wrong case"] if got.lower() == expected.lower() else ["wrong text"]


# --- Encoding -----------------------------------------------------------------------------------------------------------
# Features are 0 or 1; an encoding is a row of bytes, one per column, so that many rows become a matrix by being joined.

OPERATORS = COMPARISONS + BINARIES + UNARIES + CONSTANTS
TOKEN_CLASSES = OPERATORS + ("variable", "text")


def steps_of(prefix, count):
    return [prefix + str(i) for i in range(count)]


class Columns:
    """Gives every named feature a column. The width is rounded up to a multiple of 8, as the policy file has it."""

    def __init__(self, *names):
        self.index = {}
        for name in names:
            self.index.setdefault(name, len(self.index))
        self.width = -(-len(self.index) // 8) * 8

    def row(self, names):
        """A row with the columns of the names that exist."""
        row = bytearray(self.width)
        for name in names:
            column = self.index.get(name)
            if column is not None:
                row[column] = 1
        return row

    def bucket(self, prefix, most):
        """Columns of a count's buckets; the last one holds everything from `most` on."""
        return [self.index[name] for name in steps_of(prefix, most + 1)]


GLOBALS = Columns(
    "bias",
    *steps_of("turn", 8),
    *steps_of("left", 4),
    *["last " + t for t in TOOLS],
    *steps_of("streak", 5),
    *[name for t in TOOLS for name in steps_of(t + " ", 4)],
    "failed call",
    *["issue " + w for w in ISSUE_WORDS],
    *steps_of("files", 6),
    *steps_of("hit files", 4),
    "terms left",
    "open",
    "open hit",
    "open last hit",
    "open failing",
    "open edited",
    "open pending",
    "pending elsewhere",
    "nothing pending",
    "history seen",
    "failing elsewhere known",
    "failing elsewhere unknown",
    *steps_of("edits since test ", 3),
    "tested",
    *steps_of("failures", 4),
    "improved",
    "same",
    "worse",
    "clean",
    *["report " + s for s in SYMPTOMS]
)
TERM = Columns("title", "body", "report", "name", "word", "searched", "failing", "home known", "first", "edited")
FILE = Columns(
    "current",
    "opened",
    *steps_of("last hits ", 3),
    *steps_of("hits ", 3),
    "holds failing",
    "holds title name",
    "edited",
    "pending",
    "patched",
    "only hit"
)
LINE = Columns(
    "let",
    "if",
    "return",
    *["has " + t for t in TOKEN_CLASSES],
    "titled",
    "topic",
    "hit",
    "failing",
    "passing",
    "unreported",
    "owner edited",
    "tried",
    "changed",
    "restored",
    "last edit",
    "pending",
    "patched",
    *steps_of("at ", 3)
)
REWRITE = Columns(
    *["from " + t for t in TOKEN_CLASSES],
    *["to " + t for t in TOKEN_CLASSES],
    *["family " + f for f in FAMILIES],
    "let",
    "if",
    "return",
    "tried",
    "restores",
    "pending",
    "in comparison",
    "failing",
    *steps_of("place ", 4)
)

_G, _L, _R = GLOBALS.index, LINE.index, REWRITE.index
TURN, LEFT, STREAK = GLOBALS.bucket("turn", 7), GLOBALS.bucket("left", 3), GLOBALS.bucket("streak", 4)
COUNTS = [(t, GLOBALS.bucket(t + " ", 3)) for t in TOOLS]
FILES, HIT_FILES = GLOBALS.bucket("files", 5), GLOBALS.bucket("hit files", 3)
EDITS, FAILURES = GLOBALS.bucket("edits since test ", 2), GLOBALS.bucket("failures", 3)


def token_class(token):
    if token in OPERATORS:
        return token
    return "text" if token.startswith('"') else "variable"


def encode_globals(m, turn_limit):
    """The state of a rollout as one row."""
    row = GLOBALS.row(["issue " + w for w in m.issue_words])
    row[_G["bias"]] = 1
    row[TURN[min(m.turns, 7)]] = 1
    row[LEFT[min(turn_limit - m.turns - 1, 3)]] = 1
    row[STREAK[min(m.streak, 4)]] = 1
    for tool, columns in COUNTS:
        row[columns[min(m.counts[tool], 3)]] = 1
    row[FILES[min(len(m.file_names), 5)]] = 1
    row[HIT_FILES[min(len(m.hit_files), 3)]] = 1
    row[EDITS[min(m.edits_since_test, 2)]] = 1
    if m.last_tool is not None:
        row[_G["last " + m.last_tool]] = 1
    if not m.last_ok:
        row[_G["failed call"]] = 1
    if any(t not in m.searched for t, _ in m.terms):
        row[_G["terms left"]] = 1
    if m.current is not None:
        encode_open(m, row)
    for name in m.failing:
        if m.home.get(name) is None:
            row[_G["failing elsewhere unknown"]] = 1
        elif m.home[name] != m.current:
            row[_G["failing elsewhere known"]] = 1
    if m.patches:
        encode_history(m, row)
    if m.tested:
        encode_tests(m, row)
    return bytes(row)


def encode_open(m, row):
    row[_G["open"]] = 1
    if m.current in m.hit_files:
        row[_G["open hit"]] = 1
    if m.current in m.last_hits:
        row[_G["open last hit"]] = 1
    if any(m.home.get(name) == m.current for name in m.failing):
        row[_G["open failing"]] = 1
    if m.current in m.edited_files:
        row[_G["open edited"]] = 1


def encode_history(m, row):
    here = 0 if m.current is None else m.pending(m.current)
    total = sum(m.pending(name) for name in m.file_names)
    row[_G["history seen"]] = 1
    if here > 0:
        row[_G["open pending"]] = 1
    if total > here:
        row[_G["pending elsewhere"]] = 1
    if total == 0:
        row[_G["nothing pending"]] = 1


def encode_tests(m, row):
    row[_G["tested"]] = 1
    row[FAILURES[min(m.failures, 3)]] = 1
    if m.failures_before is not None:
        better, worse = m.failures < m.failures_before, m.failures > m.failures_before
        row[_G["improved" if better else "worse" if worse else "same"]] = 1
    if m.failures == 0 and m.edits_since_test == 0:
        row[_G["clean"]] = 1
    for symptom in m.symptoms:
        row[_G["report " + symptom]] = 1


def encode_term(m, term_, index):
    name, source = term_
    claims = (
        (name in m.searched, "searched"),
        (name in m.failing, "failing"),
        (name in m.home, "home known"),
        (index == 0, "first"),
        (name in m.edited_owners, "edited"),
    )
    names = [source, "name" if "_" in name else "word"] + [claim for holds, claim in claims if holds]
    return bytes(TERM.row(names))


def encode_file(m, name):
    pending = m.pending(name) > 0
    patched = any(file == name for file, _ in m.patches)
    claims = (
        (m.current == name, "current"),
        (name in m.opened, "opened"),
        (any(m.home.get(f) == name for f in m.failing), "holds failing"),
        (m.home.get(m.terms[0][0]) == name, "holds title name"),
        (name in m.edited_files, "edited"),
        (pending, "pending"),
        (patched and not pending, "patched"),
        (len(m.hit_files) == 1 and name in m.hit_files, "only hit"),
    )
    counts = ["last hits %d" % min(m.last_hits.get(name, 0), 2), "hits %d" % min(m.hit_files.get(name, 0), 2)]
    return bytes(FILE.row(counts + [claim for holds, claim in claims if holds]))


def encode_line(m, candidate, position):
    line = candidate.line
    at = min(position, 2)
    known = line.rows.get(at)
    if known is None:
        words = [line.tokens[0]] + ["has " + token_class(t) for t in line.tokens[1:]]
        known = line.rows[at] = LINE.row(words + ["at %d" % at])
    row = bytearray(known)
    owner, place = line.owner, (m.current, candidate.index)
    subject = m.terms[0][0]
    if owner == subject:
        row[_L["titled"]] = 1
    if owner.endswith("_" + subject):
        row[_L["topic"]] = 1
    if owner in m.hit_owners:
        row[_L["hit"]] = 1
    if owner in m.failing:
        row[_L["failing"]] = 1
    elif owner in m.passing:
        row[_L["passing"]] = 1
    elif m.tested:
        row[_L["unreported"]] = 1
    if owner in m.edited_owners:
        row[_L["owner edited"]] = 1
    if (place, line.text) in m.tried:
        row[_L["tried"]] = 1
    original = m.originals.get(place)
    if original is not None:
        row[_L["restored" if original.text == line.text else "changed"]] = 1
    if m.last_edit == place:
        row[_L["last edit"]] = 1
    patch = m.patches.get(place)
    if patch is not None:
        row[_L["patched" if patch == line.text else "pending"]] = 1
    return bytes(row)


def encode_rewrite(m, candidate, rewrite):
    if rewrite.row is None:
        colon = rewrite.tokens.index(":") if ":" in rewrite.tokens else -1
        names = [
            "from " + token_class(rewrite.before),
            "to " + token_class(rewrite.after),
            "family " + family_of(rewrite.before, rewrite.after),
            rewrite.tokens[0],
            "place %d" % min(max(0, len(rewrite.tokens) - 1 - rewrite.at), 3),
        ]
        rewrite.row = REWRITE.row(names + (["in comparison"] if colon > rewrite.at else []))
    row = bytearray(rewrite.row)
    place = (m.current, candidate.index)
    if (place, rewrite.text) in m.tried:
        row[_R["tried"]] = 1
    original = m.originals.get(place)
    if original is not None and original.text == rewrite.text:
        row[_R["restores"]] = 1
    if m.patches.get(place) == rewrite.text:
        row[_R["pending"]] = 1
    if candidate.line.owner in m.failing:
        row[_R["failing"]] = 1
    return bytes(row)


# --- Network ------------------------------------------------------------------------------------------------------------

POINTERS = ("term", "file", "line", "rewrite")
POINTER_WIDTHS = {"term": TERM.width, "file": FILE.width, "line": LINE.width, "rewrite": REWRITE.width}
HIDDEN, POINTER, TOOL_COLUMNS = 96, 48, 8
# What the one flat vector of parameters holds, in the order of the policy file: name, shape, spread of the first values.
LAYOUT = [
    ("first", (GLOBALS.width, HIDDEN), 0.15),
    ("first bias", (HIDDEN,), 0),
    ("second", (HIDDEN, HIDDEN), math.sqrt(2 / HIDDEN)),
    ("second bias", (HIDDEN,), 0),
    ("tool", (HIDDEN, TOOL_COLUMNS), 0.02),
    ("tool bias", (TOOL_COLUMNS,), 0),
]
for _name in POINTERS:
    LAYOUT += [
        (_name + " state", (HIDDEN, POINTER), math.sqrt(1 / HIDDEN)),
        (_name + " state bias", (POINTER,), 0),
        (_name + " candidate", (POINTER_WIDTHS[_name], POINTER), 0.3),
        (_name + " score", (POINTER,), 0.1),
    ]
SIZES = [math.prod(shape) for _, shape, _ in LAYOUT]
MAGIC = b"swegym1\n"


def matrix_of(rows, width, device):
    """Encoded rows as a float32 matrix [rows, width] on the device."""
    if not rows:
        return torch.zeros((0, width), device=device)
    data = torch.frombuffer(bytearray().join(rows), dtype=torch.uint8)
    return data.view(len(rows), width).to(device).float()


class Network:
    """Two shared layers, a tool head and four pointer heads, over one flat float32 vector of parameters."""

    def __init__(self, device):
        self.device = device
        self.parameters = torch.zeros(sum(SIZES), device=device, requires_grad=True)

    def copy(self):
        other = Network(self.device)
        other.set(self.parameters.detach())
        return other

    def set(self, values):
        with torch.no_grad():
            self.parameters.copy_(values)

    def initialise(self, random):
        values = array("f")
        for (_, _, spread), size in zip(LAYOUT, SIZES):
            values.extend(random.normal() * spread if spread else 0.0 for _ in range(size))
        self.set(torch.frombuffer(values, dtype=torch.float32))

    def layers(self):
        """The parameters by name, in their shapes."""
        parts = torch.split(self.parameters, SIZES)
        return {name: part.view(shape) for (name, shape, _), part in zip(LAYOUT, parts)}

    def trunk(self, layers, states):
        """Hidden states [n, 96] and tool logits [n, 6] of states [n, width]."""
        first = torch.addmm(layers["first bias"], states, layers["first"]).relu()
        second = torch.addmm(layers["second bias"], first, layers["second"]).relu()
        return second, torch.addmm(layers["tool bias"], second, layers["tool"])[:, : len(TOOLS)]

    def point(self, layers, name, hidden, choices):
        """Logits [k] of the candidates of one pointer head."""
        context = torch.addmm(layers[name + " state bias"], hidden[choices.rows], layers[name + " state"])
        layer = choices.features @ layers[name + " candidate"] + context[choices.owners]
        return layer.relu() @ layers[name + " score"]

    def save(self, file):
        """Writes the parameters as a short header and little-endian float32; a reader never sees the file half done."""
        os.makedirs(os.path.dirname(file) or ".", exist_ok=True)
        values = array("f", self.parameters.detach().cpu().tolist())
        if sys.byteorder == "big":
            values.byteswap()
        with open(file + ".partial", "wb") as out:
            out.write(MAGIC + struct.pack("<I", len(values)) + values.tobytes())
        os.replace(file + ".partial", file)

    def load(self, file):
        """Reads what save wrote; raises one sentence when the file is not a policy of this shape."""
        try:
            with open(file, "rb") as source:
                body = source.read()
        except OSError:
            raise TrainerError("The policy %s cannot be read; check EVO_POLICY_IN." % file)
        header = MAGIC + struct.pack("<I", sum(SIZES))
        if not body.startswith(header) or len(body) != len(header) + 4 * sum(SIZES):
            raise TrainerError("%s is not a policy of this trainer; check EVO_POLICY_IN." % file)
        values = array("f", body[len(header) :])
        if sys.byteorder == "big":
            values.byteswap()
        self.set(torch.frombuffer(values, dtype=torch.float32))


class Choices:
    """
    Choices of one pointer head. rows [c]: the state that each belongs to; counts [c]: its candidates; owners [k]: the
    choice of each candidate; features [k, width].
    """

    def __init__(self, name, rows, candidates, device):
        counts = torch.tensor([len(c) for c in candidates], dtype=torch.int64)
        self.counts = counts
        self.owners = torch.repeat_interleave(torch.arange(len(rows)), counts).to(device)
        self.rows = torch.tensor(rows, dtype=torch.int64).to(device)
        self.features = matrix_of([row for list_ in candidates for row in list_], POINTER_WIDTHS[name], device)


# --- Rollouts -----------------------------------------------------------------------------------------------------------

HEADS_OF = {"search": ("term",), "open": ("file",), "edit": ("line", "rewrite"), "run_tests": (), "history": (), "submit": ()}


class Pick:
    """One sampled choice: of which head, among which encoded candidates (none for the tool), which, how likely."""

    __slots__ = ("head", "candidates", "chosen", "logp")

    def __init__(self, head, candidates, chosen, logp):
        self.head = head
        self.candidates = candidates
        self.chosen = chosen
        self.logp = logp


class Decision:
    """One turn as the trainer needs it: the encoded state and the choices made in it."""

    __slots__ = ("state", "picks")

    def __init__(self, state, picks):
        self.state = state
        self.picks = picks


class Player:
    """A rollout while it is played, and after: its verdict is set at the end."""

    def __init__(self, parsed, seed, environment):
        self.session = Session(parsed, environment["turnLimit"], environment["history"])
        self.memory = Memory(parsed)
        self.random = Random(seed)
        self.decisions = []
        self.verdict = None
        self.tool = None  # of the turn that is being played
        self.chosen = {}
        self.picks = []


def candidates_of(head, memory, line):
    """Encoded candidates of a pointer head; the rewrites depend on the line that was picked."""
    if head == "term":
        return [encode_term(memory, t, i) for i, t in enumerate(memory.terms)]
    if head == "file":
        return [encode_file(memory, name) for name in memory.file_names]
    if head == "line":
        return [encode_line(memory, each, i) for i, each in enumerate(memory.lines())]
    return [] if line is None else [encode_rewrite(memory, line, r) for r in line.candidates]


def call_of(tool, memory, chosen):
    """The tool call that indices into the candidates stand for. An edit without an open file is a call that fails."""
    if tool == "search":
        return Call(tool, memory.terms[chosen["term"]][0])
    if tool == "open":
        return Call(tool, memory.file_names[chosen["file"]])
    if tool == "edit" and memory.current is not None:
        lines = memory.lines()
        line = lines[chosen["line"]] if chosen["line"] < len(lines) else None
        if line is not None and chosen["rewrite"] < len(line.candidates):
            return Call(tool, (memory.current, line.index, line.candidates[chosen["rewrite"]].tokens))
    return Call(tool)


def heads_of(tool, memory):
    return () if tool == "edit" and memory.current is None else HEADS_OF[tool]


def sample(logits, start, count, temperature, random):
    """Draws from softmax(logits / temperature) in double precision; answers index and log-probability."""
    if count == 0:
        raise TrainerError("A file that was opened has nothing to edit; every file needs a statement that can be changed.")
    values = logits[start : start + count]
    most = max(values)
    total = 0.0
    for value in values:
        total += math.exp((value - most) / temperature)
    normaliser = most / temperature + math.log(total)
    left = random.next()
    logp = 0.0
    for i, value in enumerate(values):
        logp = value / temperature - normaliser
        left -= math.exp(logp)
        if left < 0:
            return i, logp
    return count - 1, logp


def play_all(network, assignments, environment, temperature):
    """Plays (item, seed) pairs side by side, so that every layer is one matrix product per turn."""
    players = [Player(parsed, seed, environment) for parsed, seed in assignments]
    with torch.no_grad():
        layers = network.layers()
        while True:
            active = [p for p in players if not p.session.is_over()]
            if not active:
                break
            play_turn(network, layers, active, environment["turnLimit"], temperature)
    for p in players:
        p.verdict = p.session.judge()
    return players


def play_turn(network, layers, active, turn_limit, temperature):
    states = [encode_globals(p.memory, turn_limit) for p in active]
    hidden, tool_logits = network.trunk(layers, matrix_of(states, GLOBALS.width, network.device))
    logits = tool_logits.flatten().tolist()
    for row, p in enumerate(active):
        index, logp = sample(logits, row * len(TOOLS), len(TOOLS), temperature, p.random)
        p.tool = TOOLS[index]
        p.chosen = {}
        p.picks = [Pick("tool", (), index, logp)]
    for head in POINTERS:
        wanting = [(row, p) for row, p in enumerate(active) if head in heads_of(p.tool, p.memory)]
        if not wanting:
            continue
        encoded = []
        for _, p in wanting:
            lines = p.memory.lines() if head == "rewrite" else ()
            encoded.append(candidates_of(head, p.memory, lines[p.chosen["line"]] if lines else None))
        choices = Choices(head, [row for row, _ in wanting], encoded, network.device)
        logits = network.point(layers, head, hidden, choices).tolist()
        start = 0
        for (_, p), candidates in zip(wanting, encoded):
            chosen, logp = sample(logits, start, len(candidates), temperature, p.random)
            p.picks.append(Pick(head, candidates, chosen, logp))
            p.chosen[head] = chosen
            start += len(candidates)
    for state, p in zip(states, active):
        call = call_of(p.tool, p.memory, p.chosen)
        p.memory.observe(call, p.session.step(call))
        p.decisions.append(Decision(state, p.picks))


# --- Batches and losses -------------------------------------------------------------------------------------------------


class Batch:
    """
    Decisions laid out for one pass. Their t tokens are the tools, then the choices of each head. states [n, width];
    token, place [all candidates]: where each logit lies in the padded matrix [t, most]; chosen, logp, advantage [t].
    """

    def __init__(self, credited, device):
        """credited: (decision, advantage) pairs; at least one."""
        tokens = {head: [] for head in ("tool",) + POINTERS}  # (row, pick, advantage)
        for row, (decision, advantage) in enumerate(credited):
            for pick in decision.picks:
                tokens[pick.head].append((row, pick, advantage))
        flat = [each for head in tokens for each in tokens[head]]
        self.states = matrix_of([decision.state for decision, _ in credited], GLOBALS.width, device)
        self.choices = {
            head: Choices(head, [row for row, _, _ in tokens[head]], [p.candidates for _, p, _ in tokens[head]], device)
            for head in POINTERS
        }
        tools = torch.full((len(credited),), len(TOOLS), dtype=torch.int64)
        counts = torch.cat([tools] + [self.choices[head].counts for head in POINTERS])
        token = torch.repeat_interleave(torch.arange(len(flat)), counts)
        starts = torch.cumsum(counts, 0) - counts
        self.place = (torch.arange(len(token)) - starts[token]).to(device)
        self.token = token.to(device)
        self.size = (len(flat), int(counts.max()))
        self.padding = torch.ones(self.size, dtype=torch.bool, device=device)
        self.padding[self.token, self.place] = False
        self.chosen = torch.tensor([[p.chosen] for _, p, _ in flat], device=device)
        self.logp = torch.tensor([p.logp for _, p, _ in flat], dtype=torch.float64, device=device)
        self.advantage = torch.tensor([a for _, _, a in flat], dtype=torch.float64, device=device)

    def log_probabilities(self, network, temperature):
        """Log-probability of every candidate of every token in double precision, [t, most]; −inf in the padding."""
        layers = network.layers()
        hidden, tool = network.trunk(layers, self.states)
        parts = [tool.reshape(-1)] + [network.point(layers, h, hidden, self.choices[h]) for h in POINTERS]
        logits = torch.cat(parts).double() / temperature
        padded = torch.full(self.size, -math.inf, dtype=torch.float64, device=logits.device)
        return torch.log_softmax(padded.index_put((self.token, self.place), logits), dim=1)

    def of_chosen(self, logs):
        return logs.gather(1, self.chosen)[:, 0]


def imitation_loss(network, batch):
    """Mean cross-entropy of the chosen candidates."""
    return -batch.of_chosen(batch.log_probabilities(network, 1)).mean()


def grpo_loss(network, batch, reference, settings, temperature):
    """
    The clipped policy loss plus kl · KL(policy ‖ reference) − entropy · H, averaged over the tokens; KL and entropy are
    exact over the candidates of each choice. reference: log-probabilities [t, most], 0 in the padding. Answers the loss,
    and the sums [4] over the tokens of policy loss, entropy, KL and clipped tokens.
    """
    known = batch.log_probabilities(network, temperature)
    logs = known.masked_fill(batch.padding, 0)
    chances = known.exp()
    entropy = -(chances * logs).sum(1)
    divergence = (chances * (logs - reference)).sum(1)
    ratio = (batch.of_chosen(logs) - batch.logp).exp()
    gain = ratio * batch.advantage
    bounded = ratio.clamp(1 - settings["clip"], 1 + settings["clip"]) * batch.advantage
    policy = -torch.min(gain, bounded)
    loss = (policy + settings["kl"] * divergence - settings["entropy"] * entropy).mean()
    sums = torch.stack([policy.sum(), entropy.sum(), divergence.sum(), (gain > bounded).double().sum()])
    return loss, sums.detach()


# --- Optimiser ----------------------------------------------------------------------------------------------------------


class Adam:
    """Adam with global gradient clipping: kept in float32, computed in double precision, as trainer.mjs does."""

    def __init__(self, network):
        self.network = network
        self.mean = torch.zeros_like(network.parameters, requires_grad=False)
        self.square = torch.zeros_like(self.mean)
        self.time = 0

    def step(self, loss, rate, clip_norm=1.0):
        """Moves the parameters against the loss's gradient; answers the gradient's norm before clipping (a tensor)."""
        (gradient,) = torch.autograd.grad(loss, self.network.parameters)
        with torch.no_grad():
            self.time += 1
            g = gradient.double()
            norm = g.square().sum().sqrt()
            g = g * (clip_norm / norm).clamp(max=1)
            size = rate * math.sqrt(1 - 0.999**self.time) / (1 - 0.9**self.time)
            m = 0.9 * self.mean.double() + 0.1 * g
            v = 0.999 * self.square.double() + 0.001 * g * g
            self.mean.copy_(m)
            self.square.copy_(v)
            self.network.parameters.copy_(self.network.parameters.double() - size * m / (v.sqrt() + 1e-8))
        return norm


def update(network, reference, adam, groups, settings, temperature):
    """One GRPO update; groups: lists of (rollout, advantage). Answers the means that the metrics report."""
    parts = []
    for part in range(settings["minibatches"]):
        chosen = [pair for group in groups[part :: settings["minibatches"]] for pair in group]
        credited = [(decision, advantage) for played, advantage in chosen for decision in played.decisions]
        if credited:
            batch = Batch(credited, network.device)
            with torch.no_grad():
                known = batch.log_probabilities(reference, temperature).masked_fill(batch.padding, 0)
            parts.append((batch, known))
    totals = torch.zeros(5, dtype=torch.float64, device=network.device)
    for _ in range(settings["epochs"]):
        for batch, known in parts:
            loss, sums = grpo_loss(network, batch, known, settings, temperature)
            norm = adam.step(loss, settings["learningRate"])
            totals += torch.cat([sums, norm.reshape(1)])
    policy, entropy, divergence, clipped, norm = totals.tolist()
    tokens = max(1, settings["epochs"] * sum(batch.size[0] for batch, _ in parts))
    return {
        "entropy": entropy / tokens,
        "kl": divergence / tokens,
        "policy_loss": policy / tokens,
        "clip_fraction": clipped / tokens,
        "grad_norm": norm / max(1, settings["epochs"] * len(parts)),
    }


# --- Reward and groups --------------------------------------------------------------------------------------------------

ZERO_SPREAD = 1e-9  # a spread below this is rounding, not a difference in reward


def active_terms(reward):
    """(name, signal, term) of the terms that count; a weight of 0 switches a term off."""
    return [(name, t["signal"] or name, t) for name, t in reward["components"].items() if t["weight"] != 0]


def shape_reward(shape, x):
    if shape == "linear":
        return x
    if shape == "flat":
        return 0 if x <= 0 else 0.3 if x < 0.5 else 0.5 if x < 1 else 1
    return 0 if x <= 0 else 0.1 if x < 1 else 1


def compose_reward(reward, signals):
    """The shaped reward of one rollout from its raw signals; a signal that it lacks counts as 0."""
    total = 0
    for _, signal, t in active_terms(reward):
        x = signals.get(signal, 0)
        total += t["weight"] * shape_reward(t["shape"], x if t["above"] is None else max(0, x - t["above"]))
    return total


def mean_and_std(values):
    """Mean and standard deviation (population)."""
    mean = sum_of(values) / len(values)
    return mean, math.sqrt(sum_of([(x - mean) * (x - mean) for x in values]) / len(values))


def sum_of(values):
    """From left to right; Python's own sum rounds otherwise since 3.12."""
    total = 0
    for value in values:
        total += value
    return total


def group_advantages(rewards):
    """(reward − mean) / std within a group; zeros for a group with one reward value."""
    mean, std = mean_and_std(rewards)
    return [(r - mean) / std if std > ZERO_SPREAD else 0 for r in rewards]


def normal_quantile(p):
    """z with P(Z < z) = p for a standard normal (Acklam's rational approximation)."""
    if p <= 0:
        return -math.inf
    if p >= 1:
        return math.inf

    def polynomial(x, *coefficients):
        value = 0.0
        for c in coefficients:
            value = value * x + c
        return value

    def tail(q):
        over = (-7.784894002430293e-3, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968)
        under = (7.784695709041462e-3, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1)
        return polynomial(q, *over, 2.938163982698783) / polynomial(q, *under)

    if p < 0.02425:
        return tail(math.sqrt(-2 * math.log(p)))
    if p > 1 - 0.02425:
        return -tail(math.sqrt(-2 * math.log(1 - p)))
    q = p - 0.5
    r = q * q
    over = (-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716)
    under = (-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1)
    return polynomial(r, *over, 2.506628277459239) * q / polynomial(r, *under)


class StdGroupFilter:
    """
    Which groups of a step are trained on. A moving mean and variance follow the standard deviation of the rewards of
    every group in order. Groups without spread are always dropped. After the warm-up, mode absolute drops the groups
    below mean − z(keep) · std, and mode top-p all but the widest groups of the step whose spreads add up to the share
    `keep`. At least the share minKeep of a step's groups is kept, the widest first, as far as they have a spread.
    Kind outcome drops the groups whose rollouts all passed or all failed: there only the shaping of the reward differs.
    """

    def __init__(self, settings):
        self.settings = settings
        given = settings["warmup"]
        self.warmup = max(20, math.ceil(1 / settings["decay"])) if given is None else given
        self.z = normal_quantile(settings["keep"])
        self.mean = 0.0
        self.variance = 0.0
        self.seen = 0

    def threshold(self):
        """Below which the next group would be dropped; None in the warm-up, and where the mode knows no threshold."""
        if self.settings["mode"] == "top-p" or self.seen < self.warmup or self.z == math.inf:
            return None
        return self.mean - self.z * math.sqrt(self.variance)

    def keep(self, spreads, outcomes_differ):
        """
        Whether each group of a step is trained on, given the groups' reward standard deviations in order, and whether
        each has both a rollout that passed and one that failed.
        """
        if self.settings["kind"] == "none":
            return [spread > ZERO_SPREAD for spread in spreads]
        if self.settings["kind"] == "outcome":
            return [spread > ZERO_SPREAD and differ for spread, differ in zip(spreads, outcomes_differ)]
        warm_left = self.warmup - self.seen
        verdicts = []
        for spread in spreads:
            threshold = self.threshold()
            self.follow(spread)
            if not spread > ZERO_SPREAD:
                verdicts.append("dead")
            else:
                verdicts.append("kept" if threshold is None or spread >= threshold else "low")
        widest = sorted(range(len(spreads)), key=lambda i: (-spreads[i], i))
        if self.settings["mode"] == "top-p":
            self.drop_tail(spreads, verdicts, widest, warm_left)
        missing = math.ceil(self.settings["minKeep"] * len(spreads)) - verdicts.count("kept")
        for i in [i for i in widest if verdicts[i] == "low"][: max(0, missing)]:
            verdicts[i] = "rescued"
        return [verdict in ("kept", "rescued") for verdict in verdicts]

    def follow(self, spread):
        if not math.isfinite(spread):
            return
        decay = self.settings["decay"]
        delta = spread - self.mean
        first = self.seen == 0
        self.mean = spread if first else self.mean + decay * delta
        self.variance = 0.0 if first else (1 - decay) * (self.variance + decay * delta * delta)
        self.seen += 1

    def drop_tail(self, spreads, verdicts, widest, warm_left):
        living = [i for i in widest if verdicts[i] != "dead"]
        # A share of 0.9 of three equal spreads must not need a fourth because of rounding.
        wanted = self.settings["keep"] * sum_of([spreads[i] for i in living]) * (1 - 1e-12)
        total = 0
        for i in living:
            if total >= wanted and i >= warm_left:
                verdicts[i] = "low"
            total += spreads[i]


class Curriculum:
    """Hands out training items: every item once per pass, in random order; easy-first raises the allowed difficulty with time."""

    def __init__(self, items, order, random):
        self.items = items
        self.order = order
        self.random = random
        self.queue = []

    def next(self, count, progress):
        """The next `count` items; `progress` goes from 0 to 1 over training."""
        chosen = []
        while len(chosen) < count:
            if not self.queue:
                shuffled = self.random.shuffle(self.items)
                easy = [p for p in shuffled if self.order == "random" or p.difficulty <= 0.15 + progress]
                self.queue = easy or shuffled
            chosen.append(self.queue.pop())
        return chosen


# --- Imitation ----------------------------------------------------------------------------------------------------------
# The demonstrator does the sensible thing with these chances. Low on purpose: the rest is for reinforcement learning.

HABITS = {
    "submits at once": 0.04,
    "asks history": 0.07,
    "follows history": 0.3,
    "searches first": 0.75,
    "opens hit": 0.8,
    "finds line": 0.95,
    "finds rewrite": 0.92,
    "takes back": 0.5,
    "is careful": 0.03,
}
# A careful demonstrator tests its edits and goes on when they fail; a hasty one submits what it has.
MANNERS = ("tests before edit", "tests after edit", "edits again untested", "tests again", "edits again")
CAREFUL = dict(zip(MANNERS, (0.3, 0.9, 0.1, 0.1, 0.9)))
HASTY = dict(zip(MANNERS, (0.05, 0.01, 0.15, 0.2, 0.3)))


def right_rewrite(parsed, memory, line):
    """Index of the candidate that repairs a line; −1 when there is none."""
    for fix in parsed.item["fix"]:
        if fix["file"] == memory.current and fix["line"] == line.index + 1:
            return next((i for i, c in enumerate(line.candidates) if c.text == fix["text"]), -1)
    return -1


def explore(m, random, manner):
    """What to do before anything was edited."""
    if m.turns == 0 and random.chance(HABITS["submits at once"]):
        return "submit"
    if m.counts["history"] == 0 and random.chance(HABITS["asks history"]):
        return "history"
    if m.counts["search"] == 0 and m.counts["open"] == 0 and random.chance(HABITS["searches first"]):
        return "search"
    if m.current is None:
        if random.chance(0.06):
            return "edit"
        return "search" if random.chance(0.1) else "open"
    if random.chance(0.1):
        return "open"
    return "run_tests" if not m.tested and random.chance(manner["tests before edit"]) else "edit"


def finish(m, random, manner):
    """What to do once something was edited."""
    if m.counts["history"] == 0 and random.chance(HABITS["asks history"]):
        return "history"
    if m.edits_since_test > 0 or not m.tested:
        if random.chance(manner["tests after edit"]):
            return "run_tests"
        return "edit" if random.chance(manner["edits again untested"]) else "submit"
    if m.failures == 0:
        return "run_tests" if random.chance(0.1) else "submit"
    if random.chance(manner["tests again"]):
        return "run_tests" if random.chance(0.5) else "search"
    if random.chance(manner["edits again"]):
        return "open" if random.chance(0.2) else "edit"
    return "submit"


def takes_back(m, random):
    """The last edited line, if the last tests were no better than those before it; −1 to go on elsewhere."""
    if m.last_edit is None or m.last_edit[0] != m.current or not m.tested or m.edits_since_test > 0:
        return -1
    if m.failures_before is not None and m.failures < m.failures_before:
        return -1
    if not random.chance(HABITS["takes back"]):
        return -1
    return next((i for i, line in enumerate(m.lines()) if line.index == m.last_edit[1]), -1)


def choose_line(parsed, m, random):
    last = takes_back(m, random)
    if last >= 0:
        return last
    seen = len(m.patches) > 0 and random.chance(HABITS["follows history"])
    right = [i for i, line in enumerate(m.lines()) if right_rewrite(parsed, m, line) >= 0]
    if right and (seen or random.chance(HABITS["finds line"])):
        return random.pick(right)
    return random.below(len(m.lines()))


def choose_rewrite(parsed, m, line, random):
    original = m.originals.get((m.current, line.index))
    if original is not None:
        back = next((i for i, c in enumerate(line.candidates) if c.tokens is original.tokens), -1)
        if back >= 0 and random.chance(HABITS["takes back"]):
            return back
    right = right_rewrite(parsed, m, line)
    seen = len(m.patches) > 0 and random.chance(HABITS["follows history"])
    if right >= 0 and (seen or random.chance(HABITS["finds rewrite"])):
        return right
    return random.below(len(line.candidates))


def choose_candidate(head, parsed, m, line, random):
    if head == "term":
        return random.below(len(m.terms))
    if head == "file":
        hits = [i for i, name in enumerate(m.file_names) if name in m.last_hits]
        if hits and random.chance(HABITS["opens hit"]):
            return random.pick(hits)
        return random.below(len(m.file_names))
    if head == "line":
        return choose_line(parsed, m, random)
    return 0 if line is None else choose_rewrite(parsed, m, line, random)


def demonstrate(parsed, random, turn_limit):
    """One scripted rollout as decisions to imitate. It knows the repair, and mostly acts as if it did not."""
    session = Session(parsed, turn_limit, "visible" if random.chance(0.5) else "hidden")
    memory = Memory(parsed)
    manner = CAREFUL if random.chance(HABITS["is careful"]) else HASTY
    decisions = []
    while not session.is_over():
        tool = (explore if memory.last_edit is None else finish)(memory, random, manner)
        picks = [Pick("tool", (), TOOLS.index(tool), 0.0)]
        chosen = {}
        for head in heads_of(tool, memory):
            lines = memory.lines() if "line" in chosen else ()
            line = lines[chosen["line"]] if lines else None
            chosen[head] = choose_candidate(head, parsed, memory, line, random)
            picks.append(Pick(head, candidates_of(head, memory, line), chosen[head], 0.0))
        decisions.append(Decision(encode_globals(memory, turn_limit), picks))
        call = call_of(tool, memory, chosen)
        memory.observe(call, session.step(call))
    return decisions


def warm_up(network, items, settings, seed):
    """Trains a fresh network to act like the scripted demonstrator: the base policy of a seed. Answers the last loss."""
    random = Random(seed_of("warmup", seed))
    network.initialise(random)
    decisions = []
    for _ in range(settings["demonstrations"]):
        decisions.extend(demonstrate(random.pick(items), random, settings["turnLimit"]))
    adam = Adam(network)
    size = 256
    mean = math.nan
    for epoch in range(settings["epochs"]):
        order = random.shuffle(decisions)
        rate = settings["learningRate"] * (1 - epoch / settings["epochs"])
        losses = []
        for start in range(0, len(order), size):
            batch = Batch([(decision, 0.0) for decision in order[start : start + size]], network.device)
            loss = imitation_loss(network, batch)
            adam.step(loss, rate)
            losses.append(loss.detach())
        mean = float(torch.stack(losses).mean())
    return mean


# --- Evidence -----------------------------------------------------------------------------------------------------------


def tidy(value):
    """A number as JSON: 1 for 1.0, and null for what JSON has no number for."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value == int(value) and abs(value) < 2**53 else value
    return value


class EvidenceWriter:
    """Appends whole lines to the evidence files of a run."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.rollouts = open(os.path.join(folder, "rollouts.jsonl"), "ab", buffering=0)
        self.metrics = open(os.path.join(folder, "metrics.jsonl"), "ab", buffering=0)

    def write(self, file, value):
        line = (json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n").encode("utf-8")
        while line:
            line = line[file.write(line) :]

    def rollout(self, rollout):
        self.write(self.rollouts, rollout)

    def metric(self, step, values):
        self.write(self.metrics, dict(step=step, **{name: tidy(value) for name, value in values.items()}))

    def close(self):
        self.rollouts.close()
        self.metrics.close()


def call_arguments(call):
    if call.tool == "search":
        return {"query": call.argument}
    if call.tool == "open":
        return {"file": call.argument}
    if call.tool == "history":
        return {"command": "git log -p -1"}
    if call.tool == "edit" and call.argument is not None:
        file, line, tokens = call.argument
        return {"file": file, "line": line + 1, "text": " ".join(tokens)}
    return {}


def render_call(call):
    if call.tool == "search":
        return "search " + show(call.argument)
    if call.tool == "open":
        return "open " + call.argument
    if call.tool == "history":
        return "git log -p -1"
    if call.tool == "edit":
        if call.argument is None:
            return "edit (nothing is open)"
        file, line, tokens = call.argument
        return "edit %s:%d  %s" % (file, line + 1, " ".join(tokens))
    return call.tool


def render_test(result):
    test = result.test
    call = "%s(%s)" % (test.name, ", ".join(show(arg) for arg in test.args))
    if result.passed:
        return "PASS " + call
    got = show(result.value) if result.error is None else "an error: " + result.error
    return "FAIL %s: expected %s, got %s" % (call, show(test.expected), got)


def render_history(patches, item):
    upstream = item["upstream"]
    lines = ["commit " + upstream["commit"], "Author: " + upstream["author"], "", "    " + upstream["message"], ""]
    for file, line, before, after in patches:
        at = line + 1
        lines += ["diff --git a/%s b/%s" % (file, file), "--- a/" + file, "+++ b/" + file]
        lines += ["@@ -%d +%d @@" % (at, at), "-" + before, "+" + after]
    return "\n".join(lines)


def render_result(tool, result, item):
    if not result.ok:
        return result.why
    if tool == "search":
        return "\n".join("%s:%d: %s" % (file, line + 1, found) for file, line, _, found in result.value) or "No match."
    if tool == "open":
        return "\n".join("%3d  %s" % (i, line.text) for i, line in enumerate(result.value.lines, 1))
    if tool == "edit":
        before, line = result.value
        return "- %s\n+ %s" % (before.strip(), line.text.strip())
    if tool == "run_tests":
        passed = "%d of %d passed" % (sum(r.passed for r in result.value), len(result.value))
        return "\n".join([render_test(r) for r in result.value] + [passed])
    return render_history(result.value, item) if tool == "history" else "Submitted."


def render_turns(item, exchanges, decisions):
    """The rollout as a person reads it: the issue, then each call and its answer."""
    issue = item["issue"]
    files = ", ".join(f["name"] for f in item["files"])
    turns = [{"role": "user", "text": "Issue: %s\n%s\nFiles: %s" % (issue["title"], issue["body"], files)}]
    for (call, result), decision in zip(exchanges, decisions):
        turn = {"role": "assistant", "text": render_call(call), "tool": call.tool, "args": call_arguments(call)}
        turn.update(ok=result.ok, tokens=len(decision.picks))
        turns.append(turn)
        turns.append({"role": "tool", "text": render_result(call.tool, result, item)})
    return turns


def describe_rollout(player, sample_, reward, context):
    """A played rollout as a line of evidence."""
    parsed = player.session.parsed
    logps = [pick.logp for decision in player.decisions for pick in decision.picks]
    group = "%s-%d-%s" % (context["split"], context["step"], parsed.id)
    return {
        "id": "%s-%d" % (group, sample_),
        "run": context["run"],
        "split": context["split"],
        "step": context["step"],
        "item": parsed.id,
        "group": group,
        "sample": sample_,
        "outcome": "pass" if player.verdict.passed else "fail",
        "reward": tidy(reward),
        "components": {name: tidy(value) for name, value in player.verdict.components.items()},
        "stop_reason": player.verdict.stop,
        "turns": render_turns(parsed.item, player.session.exchanges, player.decisions),
        "tokens": len(logps),
        "logprob_mean": tidy(sum_of(logps) / max(1, len(logps))),
        "policy": context["policy"],
        "harness": context["harness"],
        "seed": context["seed"],
        "started_at": context["started_at"],
        "duration_ms": context["duration_ms"],
        "extra": {"difficulty": tidy(parsed.difficulty)},
    }


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


# --- Training and evaluation --------------------------------------------------------------------------------------------


class Group:
    """The rollouts of one item in one step, and how their rewards differ."""

    def __init__(self, rollouts, reward):
        self.rollouts = rollouts
        self.rewards = [compose_reward(reward, r.verdict.components) for r in rollouts]
        self.spread = mean_and_std(self.rewards)[1]


def play_groups(network, items, step, harness, seed):
    size = harness.train["group"]
    assignments = [(p, seed_of("train", seed, step, p.id, sample_)) for p in items for sample_ in range(size)]
    played = play_all(network, assignments, harness.environment, harness.train["sampling"]["temperature"])
    return [Group(played[g * size : (g + 1) * size], harness.reward) for g in range(len(items))]


def measure(groups, kept):
    rollouts = [r for g in groups for r in g.rollouts]
    mean, std = mean_and_std([r for g in groups for r in g.rewards])
    return {
        "reward": mean,
        "reward_std": std,
        "solve_rate": sum(r.verdict.passed for r in rollouts) / len(rollouts),
        "dead_group_ratio": sum(g.spread <= ZERO_SPREAD for g in groups) / len(groups),
        "kept_group_ratio": sum(kept) / len(groups),
        "turns_mean": sum(len(r.decisions) for r in rollouts) / len(rollouts),
    }


def train(network, items, harness, identity, evidence, after_step):
    """GRPO from the network's present parameters, which are also the reference of the KL term."""
    settings = harness.train
    steps = settings["steps"]
    reference = network.copy()
    adam = Adam(network)
    group_filter = StdGroupFilter(harness.reward["filter"])
    curriculum = Curriculum(items, harness.curriculum["order"], Random(seed_of("order", identity["seed"])))
    for step in range(1, steps + 1):
        began = time.monotonic()
        started_at = now()
        groups = play_groups(network, curriculum.next(settings["prompts"], step / steps), step, harness, identity["seed"])
        played_ms = (time.monotonic() - began) * 1000
        outcomes_differ = [len({r.verdict.passed for r in g.rollouts}) > 1 for g in groups]
        kept = group_filter.keep([g.spread for g in groups], outcomes_differ)
        credited = [list(zip(g.rollouts, group_advantages(g.rewards))) for g, keeps in zip(groups, kept) if keeps]
        temperature = settings["sampling"]["temperature"]
        report = update(network, reference, adam, credited, settings["optimisation"], temperature)
        if step % settings["evidence"]["every"] == 0 or step == 1:
            context = dict(identity, split="train", step=step, policy="%s/step-%d" % (identity["run"], step - 1))
            context.update(started_at=started_at, duration_ms=played_ms / (len(groups) * settings["group"]))
            for g in groups:
                for i, (player, reward) in enumerate(zip(g.rollouts, g.rewards)):
                    evidence.rollout(describe_rollout(player, i, reward, context))
        values = measure(groups, kept)
        values.update(report, step_ms=(time.monotonic() - began) * 1000, steps_total=steps)
        evidence.metric(step, values)
        after_step(step, values)


def evaluate(network, harness, split, items, step, identity, evidence):
    """
    Samples every item of a split and writes the rollouts; answers the solve rate. The random streams depend on the
    protocol, the item and the sample only, so that two versions are compared under the same draws.
    """
    protocol = harness.evaluation
    samples = protocol["samples"]
    began = time.monotonic()
    context = dict(identity, split=split, step=step, policy="%s/step-%d" % (identity["run"], step), started_at=now())
    assignments = [(p, seed_of("evaluation", protocol["seed"], p.id, i)) for p in items for i in range(samples)]
    played = play_all(network, assignments, harness.environment, protocol["temperature"])
    context["duration_ms"] = (time.monotonic() - began) * 1000 / max(1, len(played))
    for i, player in enumerate(played):
        reward = compose_reward(harness.reward, player.verdict.components)
        evidence.rollout(describe_rollout(player, i % samples, reward, context))
    return sum(r.verdict.passed for r in played) / max(1, len(played))


# --- The run ------------------------------------------------------------------------------------------------------------

SPLITS = ("train", "selection", "audit")


def needed(env, name, what):
    value = env.get(name, "")
    if value == "":
        raise TrainerError("%s is not set; %s." % (name, what))
    return value


def integer_from(source):
    """An integer as the engine reads one; None when it is none."""
    try:
        value = float(source.strip() or "0")
    except ValueError:
        return None
    return int(source) if re.fullmatch(r"\s*[-+]?[0-9]+\s*", source) else int(value) if value == value // 1 else None


class Request:
    """What the environment variables of the trainer contract ask for; raises one sentence when they do not."""

    def __init__(self, env, root):
        self.root = root
        seed = integer_from(env.get("EVO_SEED", "1"))
        if seed is None or abs(seed) >= 2**53:
            raise TrainerError("EVO_SEED must be an integer, not %s." % env.get("EVO_SEED", ""))
        self.splits = []
        for name in needed(env, "EVO_SPLITS", "name the splits, e.g. train,selection").split(","):
            if name.strip() not in SPLITS:
                raise TrainerError("EVO_SPLITS names %s; use train, selection and audit." % name)
            self.splits.append(name.strip())
        try:
            budget = float(env.get("EVO_BUDGET_SECONDS", "") or "inf")
        except ValueError:
            budget = math.inf
        self.budget = budget if budget > 0 else math.inf
        self.run_dir = needed(env, "EVO_RUN_DIR", "it is the folder that the evidence goes to")
        self.identity = {"run": env.get("EVO_RUN_ID", "run"), "harness": env.get("EVO_HARNESS", ""), "seed": seed}
        self.policy_in = env.get("EVO_POLICY_IN") or None
        self.policy_out = env.get("EVO_POLICY_OUT") or None
        self.device = env.get("EVO_DEVICE") or None
        self.threads = integer_from(env.get("EVO_THREADS") or "1")
        if self.threads is None or not 1 <= self.threads <= 1024:
            raise TrainerError("EVO_THREADS must be a number of threads, not %s." % env["EVO_THREADS"])


def choose_device(request):
    """Imports torch; answers the device that is asked for, or the first GPU, or the CPU, and sets torch up for it."""
    global torch
    # Before CUDA starts: the same seed gives the same policy there too.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    warnings.filterwarnings("ignore", message=".*NumPy.*")  # this file does without it
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        raise TrainerError("torch is not installed for %s; install torch 1.13 or newer, or use trainer.mjs." % sys.executable)
    name = request.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, dtype=torch.float64, device=device)
    except (RuntimeError, AssertionError, TypeError) as e:
        reason = str(e).split("\n")[0].rstrip(".")
        raise TrainerError("torch %s cannot use %s: %s; name another device in EVO_DEVICE." % (torch.__version__, name, reason))
    if device.type == "cpu":
        torch.set_num_threads(request.threads)
    else:
        warnings.filterwarnings("ignore", message=".*deterministic.*")
        torch.use_deterministic_algorithms(True, warn_only=True)
        torch.backends.cuda.matmul.allow_tf32 = False
    return device


def say(line):
    print(line, flush=True)


def carry_out(request):
    """One run: the base policy or a given one, training if asked, then evaluation."""
    began = time.monotonic()

    def check_budget():
        seconds = time.monotonic() - began
        if seconds > request.budget:
            message = "The run took %.0f s, more than its budget of %s s."
            raise BudgetExceeded(message % (seconds, show_number(request.budget)))

    harness = Harness(request.root)
    device = choose_device(request)
    evidence = EvidenceWriter(request.run_dir)
    try:
        network = Network(device)
        prepare_policy(network, request, harness, evidence)
        check_budget()
        trains = "train" in request.splits
        steps = harness.train["steps"]

        def after_step(step, values):
            if step % harness.train["evidence"]["checkpointEvery"] == 0:
                network.save(os.path.join(request.run_dir, "checkpoints", "step-%d.bin" % step))
            if step % 10 == 0 or step == steps:
                say("step %d/%d reward %.3f solved %.3f" % (step, steps, values["reward"], values["solve_rate"]))
            check_budget()

        if trains:
            train(network, load_items(request.root, "train"), harness, request.identity, evidence, after_step)
        if request.policy_out is not None:
            network.save(request.policy_out)
        step = steps if trains else 0
        for split in request.splits:
            if split == "train":
                continue
            rate = evaluate(network, harness, split, load_items(request.root, split), step, request.identity, evidence)
            evidence.metric(step, {split + "_solve_rate": rate})
            say("%s solved %.3f" % (split, rate))
            check_budget()
    finally:
        evidence.close()


def prepare_policy(network, request, harness, evidence):
    if request.policy_in is not None:
        network.load(request.policy_in)
        return
    began = time.monotonic()
    items = load_items(request.root, "train")
    loss = warm_up(network, items, harness.train["warmup"], request.identity["seed"])
    step_ms = (time.monotonic() - began) * 1000
    evidence.metric(0, {"warmup_loss": loss, "step_ms": step_ms, "steps_total": harness.train["steps"]})


def main():
    try:
        carry_out(Request(os.environ, os.getcwd()))
    except TrainerError as e:
        sys.stderr.write("%s\n" % e)
        return 2 if isinstance(e, HarnessFileError) else 124 if isinstance(e, BudgetExceeded) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
