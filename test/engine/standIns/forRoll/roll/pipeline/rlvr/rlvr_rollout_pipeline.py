from roll.pipeline.rlvr.stand_in import Evaluation as RLVRRolloutPipeline  # noqa: F401
