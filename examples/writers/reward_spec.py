"""The reward of a rollout from its raw signals, composed as EvoTrainer does it in backtests.

    from reward_spec import composer

    reward = composer(yaml.safe_load(open("harness/main.reward.yaml")), known=("correctness", "format"))
    reward({"correctness": 0.5, "format": 1.0})

One file, Python 3.8 or later, standard library only: copy it beside your trainer. Group filters are not part of it.
"""

__all__ = ["composer"]


def _shape(kind, x):
    if kind == "flat":
        return 0 if x <= 0 else 0.3 if x < 0.5 else 0.5 if x < 1 else 1
    if kind == "binary":
        return 0 if x <= 0 else 0.1 if x < 1 else 1
    return x


def composer(spec, known):
    """A function from raw signals to the reward. `known` names the signals that exist: any other would count as 0."""
    if (spec.get("filter") or {}).get("kind", "none") != "none":
        raise ValueError("filter.kind of the reward must be none: this trainer trains on all groups.")
    terms = []
    for name, term in spec["components"].items():
        signal, kind, weight = term.get("signal", name), term.get("shape", "linear"), term["weight"]
        if kind not in ("linear", "flat", "binary"):
            raise ValueError("components.%s of the reward: %r is no shape; use linear, flat or binary." % (name, kind))
        if weight == 0:
            continue
        if signal not in known:
            raise ValueError("components.%s of the reward: this trainer has no signal %s." % (name, signal))
        terms.append((signal, term.get("above"), kind, weight))

    def reward(signals):
        total = 0.0
        for signal, above, kind, weight in terms:
            x = signals[signal] if above is None else max(0.0, signals[signal] - above)
            total += weight * _shape(kind, x)
        return total

    return reward
