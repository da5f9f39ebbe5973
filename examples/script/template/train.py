"""The whole trainer: it learns which answer belongs to which topic. Put yours in its place; the numbers mark what EvoTrainer needs."""
import json, math, os, random

settings = json.load(open("harness/settings.json"))  # 1. what versions differ in
splits = os.environ.get("EVO_SPLITS", "train,selection").split(",")  # 2. what to do in this run
draw = random.Random(int(os.environ.get("EVO_SEED", "1")))  # 3. the same seed gives the same rollouts
folder = os.environ.get("EVO_RUN_DIR", ".")
RIGHT = {"sum": 2, "sort": 0, "spell": 3, "date": 1}
policy = {topic: [0.0] * 4 for topic in RIGHT}
if os.path.exists(os.environ.get("EVO_POLICY_IN", "")):  # 4. the policy to start from, if there is one
    policy = json.load(open(os.environ["EVO_POLICY_IN"]))
rollouts = open(os.path.join(folder, "rollouts.jsonl"), "a")
metrics = open(os.path.join(folder, "metrics.jsonl"), "a")


def items(split):
    return [json.loads(line) for line in open("data/%s.jsonl" % split) if line.strip()]


def chances(topic):
    high = max(policy[topic])
    weights = [math.exp(x - high) for x in policy[topic]]
    return [w / sum(weights) for w in weights]


def try_item(split, step, item, sample):
    answer = draw.choices(range(4), chances(item["topic"]))[0]
    right = answer == RIGHT[item["topic"]]
    rollouts.write(json.dumps({  # 5. one line for each try
        "id": "%s-%d-%s-%d" % (split, step, item["id"], sample), "run": os.environ.get("EVO_RUN_ID", "by-hand"),
        "split": split, "step": step, "item": item["id"], "group": "%d/%s" % (step, item["id"]), "sample": sample,
        "outcome": "pass" if right else "fail", "reward": float(right), "components": {}, "stop_reason": "stop",
        "turns": [{"role": "user", "text": item["task"]}, {"role": "assistant", "text": "answer %d" % answer}],
        "tokens": 2, "policy": None, "harness": os.environ.get("EVO_HARNESS"),
        "seed": int(os.environ.get("EVO_SEED", "1")), "started_at": None, "duration_ms": None, "extra": {}}) + "\n")
    return answer, float(right)


if "train" in splits:
    for step in range(1, settings["steps"] + 1):
        item = draw.choice(items("train"))
        group = [try_item("train", step, item, i) for i in range(settings["group"])]
        mean = sum(reward for _, reward in group) / len(group)
        for answer, reward in group:
            for i, p in enumerate(chances(item["topic"])):
                policy[item["topic"]][i] += settings["learning_rate"] * (reward - mean) * ((i == answer) - p)
        metrics.write(json.dumps({"step": step, "reward": mean}) + "\n")
if "EVO_POLICY_OUT" in os.environ:  # 6. the policy that it leaves, also where it trained none
    json.dump(policy, open(os.environ["EVO_POLICY_OUT"], "w"))
for split in splits:
    for item in items(split) if split != "train" else []:
        for sample in range(4):
            try_item(split, settings["steps"], item, sample)
