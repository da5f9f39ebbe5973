def score(answer, truth):
    if answer == truth:
        return 1.0
    return 0.0
