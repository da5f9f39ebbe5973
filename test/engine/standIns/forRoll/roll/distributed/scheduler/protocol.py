class DataProto:
    def __init__(self, batch=None, non_tensor_batch=None, meta_info=None):
        self.batch, self.non_tensor_batch, self.meta_info = batch or {}, non_tensor_batch or {}, meta_info or {}

    @classmethod
    def from_dict(cls, tensors):
        return cls(batch=tensors)
