class RankInfo:
    rank, world_size = 0, 1


class Worker:
    def __init__(self, worker_config):
        self.worker_config, self.rank_info = worker_config, RankInfo()
