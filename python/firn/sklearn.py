"""A classifier and a regressor with scikit-learn's manners, for tables and small images.

    >>> from firn.sklearn import LogicGateClassifier
    >>> model = LogicGateClassifier(random_state=0).fit(X_train, y_train)
    >>> model.score(X_test, y_test), model.circuit_.gates
"""

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ._firn import Dataset
from ._train import train

try:  # scikit-learn 1.6 and later
    from sklearn.utils.validation import validate_data as _validate_data
except ImportError:
    def _validate_data(estimator, *arguments, **settings):
        return estimator._validate_data(*arguments, **settings)


class _LogicGates(BaseEstimator):
    """What both have in common."""

    def _train(self, X, make_data, groups, settings):
        """Trains on the data set that make_data makes of X, with more keys of [train]."""
        if self.depth < 1:
            raise ValueError(f"depth is {self.depth}, but there must be at least one layer")
        held_out = max(1, round(self.validation_fraction * len(X)))  # the engine wants one
        if self.image_shape is not None:
            X = X.reshape(len(X), *self._image(X.shape[1]))
        configuration = self._configuration(X, held_out, groups)
        configuration["train"].update(settings)
        data = make_data(X)
        if hasattr(self, "feature_names_in_"):  # the circuit carries names along
            data = data.with_feature_names(list(self.feature_names_in_))
        self.run_ = train(configuration, data, set=self.config, validation=held_out, threads=self._threads())
        self.circuit_ = self.run_.network().compile()
        return self

    def _samples(self, X):
        check_is_fitted(self, "circuit_")
        return _validate_data(self, X, dtype=np.float32, order="C", reset=False)

    def _configuration(self, X, held_out, groups):
        features = int(np.prod(X.shape[1:]))
        thresholds = self.thresholds
        if thresholds == "auto":
            thresholds = 3 if self.image_shape is not None or features > 500 else int(np.clip(256 // features, 7, 31))
        bits, width = thresholds * features, self.width
        if width == "auto":
            width = max(bits, int(np.clip(16 * bits, 2000, 8000)))
        width += -width % groups
        layers = [] if self.image_shape is None else self._convolutions(X.shape[1:], width)
        layers += [{"kind": "dense", "outputs": width} for _ in range(self.depth)]
        return {"seed": int(check_random_state(self.random_state).randint(2**31 - 1)),
                "encode": {"encoding": self.encoding, "thresholds": thresholds,
                           "scope": "feature" if self.image_shape is None else "global"},
                "model": {"layer": layers},
                "train": {"steps": self.steps, "eval_every": max(1, self.steps),
                          "batch": min(self.batch_size, len(X) - held_out), "learning_rate": self.learning_rate},
                "freeze": {"strategy": self._strategy()}}

    def _convolutions(self, shape, width):
        """Two layers of trees, pooled where sizes are even, whose outputs the first dense layer can read."""
        _, height, columns = shape
        pools = []
        for _ in range(2):
            pools.append(2 if height % 2 == 0 and columns % 2 == 0 else 1)
            height, columns = height // pools[-1], columns // pools[-1]
        filters = int(np.clip(width // (height * columns), 1, 64))
        return [{"kind": "tree-conv", "filters": filters, "depth": 2, "pool": pools[0], "channels": "one"},
                {"kind": "tree-conv", "filters": 2 * filters, "depth": 2, "pool": pools[1], "channels": "two-distinct"}]

    def _strategy(self):
        if self.strategy != "auto":
            return self.strategy
        return "final-argmax" if getattr(self, "class_weight", None) is None else "hard-st"

    def _threads(self):
        return effective_n_jobs(self.n_jobs)

    def _image(self, features):
        shape = tuple(self.image_shape)
        shape = (1, *shape) if len(shape) == 2 else shape
        if len(shape) != 3 or np.prod(shape) != features:
            raise ValueError(f"image_shape is {self.image_shape}, but rows have {features} features")
        return shape


class LogicGateClassifier(ClassifierMixin, _LogicGates):
    """Learns a network of logic gates and predicts with the circuit that it becomes.

    Parameters
    ----------
    encoding : {"distributive", "uniform", "foreground"}
        How values become bits: compared with quantiles of the training set, with evenly spaced thresholds, or with the
        background of images and quantiles above it.
    thresholds : int or "auto"
        Bits per value; "auto" takes 31 for few features, 7 for many, 3 for very many and for images.
    width : int or "auto"
        Gates per layer, rounded up to a multiple of the classes; "auto" takes 16 per bit, from 2,000 to 8,000.
    depth : int
        Layers of gates. With image_shape these follow the convolutions.
    steps : int
        Training steps.
    batch_size : int
    learning_rate : float
    strategy : str
        How neurons are frozen, such as "final-argmax", "task" or "hard-st"; see freeze.strategy in the configuration.
        "auto" is "final-argmax"; with class weights, which mixtures of gates satisfy long before gates do, "hard-st".
    image_shape : tuple or None
        (height, width) or (channels, height, width) of rows that are images: two convolutions of trees come first.
    class_weight : dict, "balanced" or None
        What an example of each class counts in training, by class; "balanced" is inverse to how often classes occur.
    validation_fraction : float
        Examples held out to watch training by (at least one is); the last step counts, whatever they say.
    config : dict or None
        Keys of the configuration to set on top, such as {"train.schedule": "cosine"}.
    random_state : int, RandomState or None
    n_jobs : int or None
        Threads; None is one, -1 all. The result does not depend on it.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_ : as everywhere in scikit-learn
    circuit_ : firn.Circuit
    run_ : firn.Run

    There are no weights of single samples; repeat examples instead.
    """

    def __init__(self, *, encoding="distributive", thresholds="auto", width="auto", depth=3, steps=1000, batch_size=32,
                 learning_rate=0.02, strategy="auto", image_shape=None, class_weight=None,
                 validation_fraction=0.0, config=None, random_state=None, n_jobs=None):
        self.encoding = encoding
        self.thresholds = thresholds
        self.width = width
        self.depth = depth
        self.steps = steps
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.strategy = strategy
        self.image_shape = image_shape
        self.class_weight = class_weight
        self.validation_fraction = validation_fraction
        self.config = config
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y):
        X, y = _validate_data(self, X, y, dtype=np.float32, order="C")
        check_classification_targets(y)
        self.classes_, labels = np.unique(column_or_1d(y), return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("y has one class only, but a classifier needs at least two classes")
        settings = {}
        if self.class_weight is not None:
            weights = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
            settings["class_weights"] = [float(weight) for weight in weights]
        return self._train(X, lambda X: self._dataset(X, labels.astype(np.int64)), len(self.classes_), settings)

    def predict(self, X):
        X = self._samples(X)
        return self.classes_[self.circuit_.predict(X, threads=self._threads())]

    def decision_function(self, X):
        """Class sums divided by the temperature they were trained with; for two classes their difference."""
        sums = self._class_sums(X)
        return sums[:, 1] - sums[:, 0] if len(self.classes_) == 2 else sums

    def predict_proba(self, X):
        """The softmax of the class sums, which is what cross-entropy was trained on."""
        sums = self._class_sums(X)
        exponentials = np.exp(sums - sums.max(axis=1, keepdims=True))
        return exponentials / exponentials.sum(axis=1, keepdims=True)

    def _dataset(self, X, labels):
        """The examples with what their classes are called."""
        data = Dataset(X, labels)
        classes = [str(c) for c in self.classes_]
        return data.with_class_names(classes) if len(set(classes)) == len(classes) else data

    def _class_sums(self, X):
        X = self._samples(X)
        sums = self.circuit_.class_sums(X, threads=self._threads()) / self.circuit_.tau + self.circuit_.offset
        return sums if sums.shape[1] > 1 else np.column_stack([np.zeros(len(sums)), sums])  # a single logit


class LogicGateRegressor(RegressorMixin, _LogicGates):
    """Learns a network of logic gates whose outputs, counted, scaled and shifted, are the value.

    Parameters
    ----------
    loss : {"squared", "absolute"}
        What is made small; errors are divided by the standard deviation of y.
    encoding, thresholds, width, depth, steps, batch_size, learning_rate, strategy, image_shape, validation_fraction,
    config, random_state, n_jobs : as for LogicGateClassifier

    Attributes
    ----------
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn
    circuit_ : firn.Circuit
    run_ : firn.Run

    >>> model = LogicGateRegressor(random_state=0).fit(X_train, y_train)
    >>> model.score(X_test, y_test), model.circuit_.gates
    """

    def __init__(self, *, loss="squared", encoding="distributive", thresholds="auto", width="auto", depth=3, steps=1000,
                 batch_size=32, learning_rate=0.02, strategy="final-argmax", image_shape=None, validation_fraction=0.0,
                 config=None, random_state=None, n_jobs=None):
        self.loss = loss
        self.encoding = encoding
        self.thresholds = thresholds
        self.width = width
        self.depth = depth
        self.steps = steps
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.strategy = strategy
        self.image_shape = image_shape
        self.validation_fraction = validation_fraction
        self.config = config
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y):
        X, y = _validate_data(self, X, y, dtype=np.float32, order="C", y_numeric=True)
        if len(X) < 3:
            raise ValueError(f"X has n_samples={len(X)}, but a regressor needs three: one is held out")
        targets = column_or_1d(y).astype(np.float32)
        return self._train(X, lambda X: Dataset(X, targets), 1, {"loss": self.loss})

    def predict(self, X):
        X = self._samples(X)
        return self.circuit_.predict(X, threads=self._threads())
