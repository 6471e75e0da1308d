"""Firn: trains differentiable logic gate networks and ships them as Boolean circuits.

    >>> import numpy as np, firn
    >>> run = firn.train({"model": {"family": "dense", "width": 1000, "layers": 2}}, X, y)
    >>> circuit = run.network().compile()
    >>> classes = circuit.predict(X)

Samples are C-contiguous arrays of uint8 or float32 and are never copied; labels are class numbers from 0,
or float32 for values to predict. ``firn.sklearn`` has a classifier and a regressor with scikit-learn's manners.
"""

from ._firn import (Circuit, Config, ConfigError, Dataset, Error, Evaluation, FilePredictions, InternalError, Layer,
                    Network, Progress, Proof, Quality, ShapeError, StopTraining, Sweep, ValueQuality, __version__,
                    data_folder)
from ._html import attach as _attach
from ._train import Run, check, compare, load_data, report, sweep, sweep_status, train

__all__ = ["Circuit", "Config", "ConfigError", "Dataset", "Error", "Evaluation", "FilePredictions", "InternalError",
           "Layer", "Network", "Progress", "Proof", "Quality", "Run", "ShapeError", "StopTraining", "Sweep",
           "ValueQuality", "check", "compare", "data_folder", "load_data", "report", "sweep", "sweep_status", "train"]

_attach(Network, Circuit, Run)
