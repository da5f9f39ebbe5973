"""Starts a pipeline of ROLL, as its examples/start_rlvr_pipeline.py does: `start.py training|evaluation <settings.json>`."""

import json
import sys

sys.dont_write_bytecode = True

from dacite import from_dict  # noqa: E402
from roll.distributed.scheduler.initialize import init  # noqa: E402
from roll.pipeline.rlvr.rlvr_config import RLVRConfig  # noqa: E402
from roll.utils.tracking import tracker_registry  # noqa: E402
from tracker import EvidenceTracker  # noqa: E402

if __name__ == "__main__":
    phase, path = sys.argv[1:]
    with open(path, encoding="utf-8") as text:
        config = from_dict(data_class=RLVRConfig, data=json.load(text))
    tracker_registry["evotrainer"] = EvidenceTracker
    if phase == "training":
        from roll.pipeline.rlvr.rlvr_pipeline import RLVRPipeline as Pipeline
    else:
        from roll.pipeline.rlvr.rlvr_rollout_pipeline import RLVRRolloutPipeline as Pipeline
    init()
    Pipeline(pipeline_config=config).run()
