"""The mean vectors of multilingual-e5-small, which are subtracted from those of questions and of passages.

    .venv/bin/python benchmarks/fitting/mean_vectors.py

Writes `memories/embeddings/data/multilingual-e5-small/means.npy`: 32-bit floats of the shape (2, dimensions), those of
questions first. They are the means of 50 questions and 50 facts in each of nine languages (`data/languages.json`). Its
hash is in `memories/embeddings/combined/e5_encoder.py`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("mean_vectors")

from memories.embeddings.combined.e5_encoder import DIMENSIONS, MEANS, E5Encoder, prepared_files  # noqa: E402

DATA = Path(__file__).resolve().parents[1] / "data" / "languages.json"


def main() -> None:
    """Write the means."""
    try:
        data = json.loads(DATA.read_text(encoding="utf-8"))
        model = E5Encoder(prepared_files(), np.zeros((2, DIMENSIONS), np.float32))
        questions, facts = (
            [text for texts in data[kind].values() for text in texts] for kind in ("questions", "facts")
        )
        of_questions = [model.question_vector(question) for question in questions]
        means = [np.mean(vectors, axis=0) for vectors in (of_questions, model.vectors(facts))]
        np.save(MEANS, np.stack(means))
    finally:
        remove_temporary_data()


if __name__ == "__main__":
    main()
