def from_dict(data_class, data):
    return data_class(data)
