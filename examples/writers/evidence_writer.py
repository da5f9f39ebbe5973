"""Writes the evidence of a run: rollouts.jsonl and metrics.jsonl in EVO_RUN_DIR.

One file, Python 3.8 or later, standard library only: copy it beside your trainer.

    from evidence_writer import EvidenceWriter

    with EvidenceWriter() as evidence:
        evidence.rollout(id="7-3", split="train", step=40, item="repair-017", outcome="pass", reward=1.0, turns=turns)
        evidence.metrics(40, loss=0.31, kl=None)

Each call checks the record and appends one whole line to the file with one system call. So several threads and
processes can write the same file while a reader follows it. Nothing is buffered. If a record breaks the contract, the
call raises EvidenceError and writes nothing.
"""

import json
import math
import os
import re
import threading

__all__ = ["EvidenceError", "EvidenceWriter", "turns_from_messages"]

SPLITS = ("train", "selection", "audit")
OUTCOMES = ("pass", "fail", "unknown")
MAX_LINE_BYTES = 8 * 1024 * 1024
MAX_INTEGER = 2**53 - 1


class EvidenceError(ValueError):
    """A record that the contract does not allow. The message names the field."""


class EvidenceWriter:
    """Appends rollouts and metrics of one run.

    `folder`, `run`, `harness`, `seed` and `policy` default to what the engine gives the trainer: EVO_RUN_DIR,
    EVO_RUN_ID, EVO_HARNESS, EVO_SEED and EVO_POLICY_IN. What is not known is None.

    All ranks of a distributed job may write the same files. On a file system where appends of several machines are not
    atomic (NFS), give each its own: `rank=3` writes rollouts.3.jsonl and metrics.3.jsonl. The engine reads rollouts.jsonl and
    metrics.jsonl: append the others to them when the ranks have ended, or import them.
    """

    def __init__(self, folder=None, run=None, harness=None, seed=None, policy=None, rank=None):
        folder = os.environ.get("EVO_RUN_DIR") if folder is None else folder
        run = os.environ.get("EVO_RUN_ID") if run is None else run
        if not folder:
            raise EvidenceError("There is no folder to write to: set EVO_RUN_DIR, or give folder=.")
        if not run:
            raise EvidenceError("The run has no name: set EVO_RUN_ID, or give run=.")
        if seed is None and os.environ.get("EVO_SEED"):
            try:
                seed = int(os.environ["EVO_SEED"])
            except ValueError:
                raise EvidenceError("EVO_SEED must be a whole number, got %r." % os.environ["EVO_SEED"]) from None
        self.run = run
        self._defaults = {
            "run": run,
            "harness": os.environ.get("EVO_HARNESS") if harness is None else harness,
            "policy": os.environ.get("EVO_POLICY_IN") if policy is None else policy,
            "seed": seed,
        }
        os.makedirs(folder, exist_ok=True)
        suffix = "" if rank is None else ".%d" % rank
        self.rollouts_path = os.path.join(folder, "rollouts%s.jsonl" % suffix)
        self.metrics_path = os.path.join(folder, "metrics%s.jsonl" % suffix)
        self._files = {}
        self._owner = os.getpid()
        self._lock = threading.Lock()

    def rollout(
        self,
        *,
        id,
        split,
        step,
        item,
        outcome,
        reward,
        turns,
        group=None,
        sample=0,
        components=None,
        stop_reason=None,
        tokens=None,
        started_at=None,
        duration_ms=None,
        unknown_reason=None,
        logprob_mean=None,
        extra=None,
        **others
    ):
        """Writes one rollout. `group` defaults to step and item. `outcome` may be a bool, or None with `unknown_reason`.

        `turns` are dicts with role and text, and optionally tool, args, ok, tokens, ms: see `turns_from_messages`.
        `components` are the raw reward signals by name, before shape and weight. policy=, harness= and seed= replace
        those of the writer.
        """
        record = dict(self._defaults)
        unexpected = sorted(set(others) - set(record))
        if unexpected:
            raise EvidenceError("Not in the contract: %s; put it into extra=." % ", ".join(unexpected))
        if outcome is None:
            outcome = "unknown"
        elif isinstance(outcome, bool):
            outcome = "pass" if outcome else "fail"
        record.update(others)
        record.update(
            id=id,
            split=split,
            step=step,
            item=item,
            group="%s/%s" % (step, item) if group is None else group,
            sample=sample,
            outcome=outcome,
            reward=reward,
            components={} if components is None else components,
            stop_reason=stop_reason,
            turns=turns,
            tokens=tokens,
            started_at=started_at,
            duration_ms=duration_ms,
            extra={} if extra is None else extra,
        )
        if unknown_reason is not None:
            record["unknown_reason"] = unknown_reason
        if logprob_mean is not None:
            record["logprob_mean"] = logprob_mean
        record = _plain(record, "rollout")
        _check_rollout(record)
        self._append(self.rollouts_path, record)

    def metrics(self, step, **values):
        """Writes the metrics of one training step. A value is a number, or None if it is missing."""
        record = _plain(dict([("step", step)], **values), "metrics")
        _integer(record, "step", lowest=0)
        for name, value in record.items():
            if value is not None and not _is_number(value):
                raise EvidenceError("%s must be a number or None, got %s." % (name, _show(value)))
        self._append(self.metrics_path, record)

    def close(self):
        """Closes the files. Every record is already written, so you lose nothing if you do not call this."""
        with self._lock:
            for file in self._files.values():
                os.close(file)
            self._files = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __getstate__(self):
        # For worker processes that are not forked: they open the files anew.
        state = dict(self.__dict__, _files={})
        del state["_lock"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def _append(self, path, record):
        line = json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
        data = line.encode("utf-8", "backslashreplace")
        if len(data) > MAX_LINE_BYTES:
            raise EvidenceError(
                "The line would have %d bytes, more than %d: shorten the texts of its turns." % (len(data), MAX_LINE_BYTES)
            )
        with self._lock:
            if self._owner != os.getpid():  # Forked: an inherited file would do, but must not be closed twice.
                self._files, self._owner = {}, os.getpid()
            if path not in self._files:
                self._files[path] = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            file = self._files[path]
            written = os.write(file, data)
            if written < len(data):
                # Only a full disk or a signal cuts a write short. End the torn line, so only this line is lost.
                try:
                    os.write(file, b"\n")
                finally:
                    raise OSError("Only %d of %d bytes could be written to %s." % (written, len(data), path))


def turns_from_messages(messages, max_text=None):
    """The turns of a chat in the format of OpenAI, as most frameworks keep it.

    An assistant message that calls n tools becomes n turns: its text stands in the first. A tool message becomes a turn
    of role tool. Parts of a content list that are text are joined. `max_text` cuts longer texts, and says so.
    """
    turns = []
    for message in messages:
        role = str(message.get("role", "assistant"))
        text = _text(message.get("content"))
        if max_text is not None and len(text) > max_text:
            text = "%s… (%d characters cut)" % (text[:max_text], len(text) - max_text)
        calls = message.get("tool_calls") or []
        if role == "tool":
            # Without the name of the tool: on an assistant turn, a name alone means a call.
            turns.append({"role": "tool", "text": text})
        elif calls:
            for i, call in enumerate(calls):
                name, args = _call(call)
                turns.append({"role": role, "text": text if i == 0 else "", "tool": name, "args": args})
        else:
            turns.append({"role": role, "text": text})
    return turns


def _text(content):
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, (list, tuple)):
        return "".join(part if isinstance(part, str) else str(part.get("text") or "") for part in content)
    return str(content)


def _call(call):
    if isinstance(call, str):  # Some files keep each call as a JSON text.
        try:
            call = json.loads(call)
        except ValueError:
            return "unknown", {"text": call}
    if not isinstance(call, dict):
        return "unknown", {"text": str(call)}
    function = call.get("function") if isinstance(call.get("function"), dict) else call
    args = function.get("arguments", {})
    if isinstance(args, str):
        try:
            args = json.loads(args)
        except ValueError:
            args = {"text": args}
    return str(function.get("name") or "unknown"), args if isinstance(args, dict) else {"value": args}


def _plain(value, where):
    """The value with numpy and torch scalars as Python numbers; refuses NaN, and what JSON cannot hold."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise EvidenceError("%s is %d: an integer over 2^53 loses digits; write it as a text." % (where, value))
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise EvidenceError("%s is %r, which JSON does not have: give None where there is no value." % (where, value))
        return float(value)  # Also what only derives from float, such as numpy.float64.
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise EvidenceError("%s has the key %s, which is not a text." % (where, _show(key)))
        return {key: _plain(item, "%s.%s" % (where, key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, "%s[%d]" % (where, i)) for i, item in enumerate(value)]
    if callable(getattr(value, "item", None)):
        try:
            item = value.item()
        except (TypeError, ValueError, RuntimeError):
            item = value
        if isinstance(item, (bool, int, float, str)):
            return _plain(item, where)
    raise EvidenceError("%s is a %s, which JSON does not have." % (where, type(value).__name__))


def _check_rollout(r):
    for name in ("id", "run", "item", "group"):
        _text_field(r, name, may_be_empty=False)
    _one_of(r, "split", SPLITS)
    _one_of(r, "outcome", OUTCOMES)
    if r["outcome"] == "unknown" or "unknown_reason" in r:
        if not isinstance(r.get("unknown_reason"), str) or not r["unknown_reason"]:
            raise EvidenceError("An unknown outcome needs unknown_reason: why could it not be judged?")
    _integer(r, "step", lowest=0)
    _integer(r, "sample", lowest=0)
    _integer(r, "tokens", lowest=0, may_be_none=True)
    _integer(r, "seed", may_be_none=True)
    _number(r, "reward", may_be_none=True)
    _number(r, "duration_ms", may_be_none=True, lowest=0)
    if "logprob_mean" in r:
        _number(r, "logprob_mean")
    for name in ("policy", "harness", "started_at"):
        _text_field(r, name, may_be_none=True)
    _text_field(r, "stop_reason", may_be_none=True, may_be_empty=False)
    if r["started_at"] is not None and not re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", r["started_at"]):
        raise EvidenceError("started_at must be an ISO 8601 time, got %s." % _show(r["started_at"]))
    for name in ("components", "extra"):
        if not isinstance(r[name], dict):
            raise EvidenceError("%s must be a dict, got %s." % (name, _show(r[name])))
    for name in r["components"]:
        _number(r["components"], name, where="components.")
    if not isinstance(r["turns"], list):
        raise EvidenceError("turns must be a list, got %s." % _show(r["turns"]))
    for i, turn in enumerate(r["turns"]):
        _check_turn(turn, "turns[%d]" % i)


def _check_turn(turn, where):
    if not isinstance(turn, dict):
        raise EvidenceError("%s must be a dict with role and text, got %s." % (where, _show(turn)))
    for name in ("tool", "args", "ok", "tokens", "ms"):
        if name in turn and turn[name] is None:
            del turn[name]
    where += "."
    _text_field(turn, "role", where=where)
    _text_field(turn, "text", where=where)
    if "tool" in turn:
        _text_field(turn, "tool", where=where)
    if "args" in turn and not isinstance(turn["args"], dict):
        raise EvidenceError("%sargs must be a dict, got %s." % (where, _show(turn["args"])))
    if "ok" in turn and not isinstance(turn["ok"], bool):
        raise EvidenceError("%sok must be True or False, got %s." % (where, _show(turn["ok"])))
    if "tokens" in turn:
        _integer(turn, "tokens", lowest=0, where=where)
    if "ms" in turn:
        _number(turn, "ms", lowest=0, where=where)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _missing(record, name, may_be_none, where):
    if record.get(name) is not None:
        return False
    if may_be_none and name in record:
        return True
    raise EvidenceError("%s%s is missing." % (where, name))


def _number(record, name, may_be_none=False, lowest=None, where=""):
    if _missing(record, name, may_be_none, where):
        return
    if not _is_number(record[name]):
        raise EvidenceError("%s%s must be a number, got %s." % (where, name, _show(record[name])))
    if lowest is not None and record[name] < lowest:
        raise EvidenceError("%s%s must be at least %d, got %s." % (where, name, lowest, _show(record[name])))


def _integer(record, name, may_be_none=False, lowest=None, where=""):
    if _missing(record, name, may_be_none, where):
        return
    value = record[name]
    if not _is_number(value) or value != int(value):
        raise EvidenceError("%s%s must be a whole number, got %s." % (where, name, _show(value)))
    record[name] = int(value)
    if lowest is not None and value < lowest:
        raise EvidenceError("%s%s must be at least %d, got %s." % (where, name, lowest, _show(value)))


def _text_field(record, name, may_be_none=False, may_be_empty=True, where=""):
    if _missing(record, name, may_be_none, where):
        return
    if not isinstance(record[name], str):
        raise EvidenceError("%s%s must be a text, got %s." % (where, name, _show(record[name])))
    if not may_be_empty and not record[name]:
        raise EvidenceError("%s%s must not be empty." % (where, name))


def _one_of(record, name, values):
    if record[name] not in values:
        raise EvidenceError("%s must be one of %s, got %s." % (name, ", ".join(values), _show(record[name])))


def _show(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"
