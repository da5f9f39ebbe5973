tracker_registry = {}
