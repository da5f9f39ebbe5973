"""The reward of a rollout from its raw signals, as EvoTrainer composes it in backtests: harness/main.reward.yaml."""

FILE = "harness/main.reward.yaml"


def shape(kind, x):
    if kind == "linear":
        return x
    if kind == "flat":
        return 0 if x <= 0 else 0.3 if x < 0.5 else 0.5 if x < 1 else 1
    if kind == "binary":
        return 0 if x <= 0 else 0.1 if x < 1 else 1
    raise ValueError("%s: %r is no shape; use linear, flat or binary." % (FILE, kind))


def composer(spec, known):
    """A function from raw signals to the reward. `known` are the signals that there are: any other would count as 0."""
    if (spec.get("filter") or {}).get("kind", "none") != "none":
        raise ValueError("%s: filter.kind must be none: TRL trains on all groups." % FILE)
    terms = []
    for name, term in spec["components"].items():
        signal = term.get("signal", name)
        if term["weight"] == 0:
            continue
        if signal not in known:
            raise ValueError("%s: components.%s: there is no signal %s." % (FILE, name, signal))
        terms.append((signal, term.get("above"), term.get("shape", "linear"), term["weight"]))

    def reward(signals):
        total = 0.0
        for signal, above, kind, weight in terms:
            x = signals[signal] if above is None else max(0.0, signals[signal] - above)
            total += weight * shape(kind, x)
        return total

    return reward
