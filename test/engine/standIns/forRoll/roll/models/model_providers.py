class Tokenizer:
    """Its token ids are code points."""

    def batch_decode(self, rows, skip_special_tokens):
        return ["".join(chr(code) for code in row) for row in rows]


def default_tokenizer_provider(model_args):
    return Tokenizer()
