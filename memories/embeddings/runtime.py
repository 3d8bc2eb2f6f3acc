"""onnxruntime without its telemetry. Import it from here.

By default, onnxruntime keeps an identifier of the machine in the home folder, and reports to its makers which program
loads which models (see the file Privacy.md of the package).
"""

from __future__ import annotations

import os

# Read once, when onnxruntime is imported for the first time.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime

__all__ = ["onnxruntime"]
