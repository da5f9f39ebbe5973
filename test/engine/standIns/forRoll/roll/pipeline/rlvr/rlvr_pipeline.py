from roll.pipeline.rlvr.stand_in import Training as RLVRPipeline  # noqa: F401
