"""ROLL's metrics as lines of metrics.jsonl. ROLL counts steps from 0, the contract from 1."""

import math
import os

from evidence_writer import EvidenceWriter


class EvidenceTracker:
    def __init__(self, config, **kwargs):
        self._evidence = EvidenceWriter()

    def log(self, values, step, **kwargs):
        if os.environ.get("EVO_PHASE") != "training":
            return
        numbers = {}
        for name, value in values.items():
            if hasattr(value, "item"):
                value = value.item()
            if isinstance(value, (int, float)) and not isinstance(value, bool) and name != "step":
                # A name may end with how its values were combined, e.g. actor/pg_loss@sum.
                numbers[name.rsplit("@", 1)[0]] = value if math.isfinite(value) else None
        self._evidence.metrics(step + 1, **numbers)

    def finish(self):
        self._evidence.close()
