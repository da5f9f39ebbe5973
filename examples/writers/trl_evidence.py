"""Evidence from TRL's GRPOTrainer: wraps its reward functions, and is a callback for its metrics.

    from trl_evidence import TrlEvidence

    evidence = TrlEvidence(passed=lambda components: components["accuracy"] >= 1, item=lambda row: row["id"])
    trainer = GRPOTrainer(
        model=..., args=config, train_dataset=dataset,
        reward_funcs=evidence.wrap([accuracy, format_reward]),
        callbacks=[evidence],
    )

TRL calls the reward functions of a batch in order. After the last one has answered, this writes one rollout per completion.
"""

import functools
import hashlib
import inspect
import json
import math
import time

from transformers import TrainerCallback

from evidence_writer import EvidenceWriter, turns_from_messages


class TrlEvidence(TrainerCallback):
    """`passed` gets the raw rewards by name and says whether a rollout passed; None if it cannot tell.

    `item` names the task of a dataset row; without it, it is a hash of the prompt. Keyword arguments of EvidenceWriter
    (folder, run, rank, …) may be given.
    """

    def __init__(self, passed, item=None, **writer):
        self._passed = passed
        self._item = item
        self._writer_options = writer
        self._writer = None
        self._names = []
        self._rewards = {}
        self._errors = {}
        self._batches = 0
        self._logged_step, self._logged = None, {}
        self._model = None
        self._args = None

    def wrap(self, reward_funcs):
        """The same reward functions, which now also write evidence. Refuses reward models and async functions."""
        funcs = list(reward_funcs) if isinstance(reward_funcs, (list, tuple)) else [reward_funcs]
        for func in funcs:
            if not inspect.isfunction(func) or inspect.iscoroutinefunction(func):
                raise TypeError("Only plain functions can be wrapped, got %r." % (func,))
        self._names = [func.__name__ for func in funcs]
        return [self._wrapped(func, i == len(funcs) - 1) for i, func in enumerate(funcs)]

    def composed(self, signals, reward):
        """One reward function for TRL, made of raw signals. The evidence gets the raw signals unchanged.

        `signals` is called as TRL calls a reward function and gives a dict of numbers for each completion, or None for
        one that cannot be judged; `reward` makes of such a dict the number that is trained on.
        """

        def composed_reward(*args, **kwargs):
            try:
                told = list(signals(*args, **kwargs))
                values = [None if one is None else reward(one) for one in told]
            except Exception as error:
                self._errors["reward"] = "the reward raised %s" % type(error).__name__
                self._write(kwargs)
                raise
            self._write(kwargs, [(one or {}, value) for one, value in zip(told, values)])
            return values

        composed_reward.__name__ = "reward"
        return composed_reward

    def on_train_begin(self, args, state, control, model=None, **kwargs):
        self._args, self._model = args, model

    def on_log(self, args, state, control, logs=None, **kwargs):
        if not state.is_world_process_zero or not logs:
            return
        if state.global_step != self._logged_step:
            self._logged_step, self._logged = state.global_step, {}
        # TRL logs a step in parts (training, evaluation, summary), and only the last line of a step counts: write all parts.
        for name, value in logs.items():
            if _is_number(value) and name != "step":
                self._logged[name] = value if math.isfinite(value) else None
        self._evidence().metrics(state.global_step, **self._logged)

    def _wrapped(self, func, is_last):
        name = func.__name__

        @functools.wraps(func)
        def rewards(*args, **kwargs):
            try:
                values = func(*args, **kwargs)
            except Exception as error:
                # The trainer will end with this error; the outcomes that it was about to judge are unknown, not failed.
                self._errors[name] = "%s raised %s" % (name, type(error).__name__)
                self._write(kwargs)
                raise
            self._rewards[name] = values = list(values)
            if is_last:
                self._write(kwargs)
            return values

        return rewards

    def _evidence(self):
        if self._writer is None:
            self._writer = EvidenceWriter(**self._writer_options)
        return self._writer

    def _write(self, batch, judged=None):
        prompts, completions = batch["prompts"], batch["completions"]
        tokens = batch.get("completion_ids") or [None] * len(prompts)
        columns = {
            name: values
            for name, values in batch.items()
            if isinstance(values, (list, tuple)) and len(values) == len(prompts) and name != "completion_ids"
        }
        step = batch["trainer_state"].global_step if "trainer_state" in batch else 0
        split = "selection" if self._model is not None and not self._model.training else "train"
        size = getattr(self._args, "num_generations", None) or 1
        rank = getattr(self._args, "process_index", 0)
        self._batches += 1
        for i, (prompt, completion) in enumerate(zip(prompts, completions)):
            place = rank * len(prompts) + i
            if judged is None:
                components = self._components(i)
                reward, reason = self._total(components), self._reason(components)
            else:
                components, reward = judged[i]
                reason = "the reward function gave none" if reward is None else None
            outcome = None if reason else self._passed(components)
            if outcome is None and not reason:
                reason = "the rule for passing gave no answer"
            row = {name: values[i] for name, values in columns.items()}
            self._evidence().rollout(
                id="%d-%d-%d" % (step, self._batches, place),
                split=split,
                step=step,
                item=str(self._item(row)) if self._item else _hash(prompt),
                group="%d/%d/%d" % (step, self._batches, place // size),
                sample=place % size,
                outcome=outcome,
                unknown_reason=reason,
                reward=reward,
                components=components,
                turns=turns_from_messages(_messages(prompt, "user") + _messages(completion, "assistant")),
                tokens=None if tokens[i] is None else len(tokens[i]),
                started_at=None,
                extra={"written_at": time.time()},
            )
        self._rewards, self._errors = {}, {}

    def _components(self, i):
        components = {}
        for name, values in self._rewards.items():
            if i < len(values) and _is_number(values[i]) and math.isfinite(values[i]):
                components[name] = values[i]
        return components

    def _reason(self, components):
        if self._errors:
            return "; ".join(self._errors.values())
        missing = [name for name in self._names if name not in components]
        return "no reward from %s" % ", ".join(missing) if missing else None

    def _total(self, components):
        if self._errors or not components:
            return None
        weights = getattr(self._args, "reward_weights", None) or [1.0] * len(self._names)
        return sum(weight * components.get(name, 0.0) for name, weight in zip(self._names, weights))


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _messages(text, role):
    return [{"role": role, "content": text}] if isinstance(text, str) else list(text)


def _hash(prompt):
    text = prompt if isinstance(prompt, str) else json.dumps(prompt, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]
