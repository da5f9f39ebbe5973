"""The reward worker of ROLL that this project uses: it rewards what the policy wrote, and writes the evidence.

It takes the signals from task.py and combines them by harness/main.reward.yaml.
"""

import math
import os
import sys

sys.dont_write_bytecode = True

import torch  # noqa: E402
import yaml  # noqa: E402
from roll.distributed.executor.worker import Worker  # noqa: E402
from roll.distributed.scheduler.decorator import Dispatch, register  # noqa: E402
from roll.distributed.scheduler.protocol import DataProto  # noqa: E402
from roll.models.model_providers import default_tokenizer_provider  # noqa: E402

from evidence_writer import EvidenceWriter, turns_from_messages  # noqa: E402
from reward_spec import composer  # noqa: E402
from task import SIGNALS, passes, signals_of  # noqa: E402

REWARD_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness", "main.reward.yaml")


class EvidenceRewardWorker(Worker):
    def __init__(self, worker_config):
        super().__init__(worker_config=worker_config)
        self.rank_info.dp_rank = self.rank_info.rank
        self.rank_info.dp_size = self.rank_info.world_size
        self.tokenizer = default_tokenizer_provider(model_args=self.worker_config.model_args)
        with open(REWARD_FILE, encoding="utf-8") as text:
            self.reward = composer(yaml.safe_load(text), SIGNALS)
        self.evidence = EvidenceWriter()
        self.samples = {}

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)
    def initialize(self, pipeline_config):
        pass

    @register(dispatch_mode=Dispatch.DP_MP_COMPUTE, clear_cache=False)
    def compute_rewards(self, data):
        responses = self.tokenizer.batch_decode(data.batch["responses"], skip_special_tokens=True)
        rows = data.non_tensor_batch
        training = os.environ.get("EVO_PHASE") == "training"
        step = int(data.meta_info.get("global_step", 0)) + 1 if training else int(os.environ.get("EVO_STEP", "0"))
        scores = []
        for i, response in enumerate(responses):
            error = None
            try:
                signals = signals_of(response, rows["ground_truth"][i])
                if not all(math.isfinite(signals[name]) for name in SIGNALS):
                    raise ValueError("a signal is not finite")
                score = self.reward(signals)
            except Exception as caught:  # Training goes on with 0; the evidence says that nothing was judged.
                error, signals, score = "%s: %s" % (type(caught).__name__, caught), {}, 0.0
            scores.append(score)
            self._write(step, {name: rows[name][i] for name in ("id", "split", "messages")}, response, signals, score, error)
        return DataProto.from_dict(
            tensors={
                "scores": torch.tensor(scores, dtype=torch.float16),
                "response_level_rewards": torch.tensor(scores, dtype=torch.float16),
                "token_level_rewards": torch.zeros_like(data.batch["responses"], dtype=torch.float16),
            }
        )

    def _write(self, step, row, response, signals, score, error):
        group = "%s/%d/%s" % (row["split"], step, row["id"])
        sample = self.samples[group] = self.samples.get(group, -1) + 1
        self.evidence.rollout(
            id="%s-%d" % (group, sample),
            split=row["split"],
            step=step,
            item=row["id"],
            group=group,
            sample=sample,
            outcome=None if error else passes(signals),
            unknown_reason=error,
            reward=None if error else score,
            components=signals,
            turns=turns_from_messages(_messages(row["messages"]) + [{"role": "assistant", "content": response}]),
        )


def _messages(text):
    import json

    return json.loads(text) if isinstance(text, str) else list(text)
