"""A grid search over encodings and widths, in a pipeline, with scikit-learn."""

import sys

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV

from firn.sklearn import LogicGateClassifier

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

X, y = load_breast_cancer(return_X_y=True)
grid = {"thresholds": [3, 7], "width": [500, 2000], "strategy": ["final-argmax", "hard-st"]}
search = GridSearchCV(LogicGateClassifier(depth=2, steps=steps, random_state=0), grid, cv=3, n_jobs=2).fit(X, y)
for settings, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"]):
    print(f"{100 * score:.1f} %  {settings}")
print(f"best: {search.best_params_}, {search.best_estimator_.circuit_.gates} gates")
