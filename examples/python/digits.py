"""Handwritten digits in ten lines: train, compile, predict."""

import sys

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from firn.sklearn import LogicGateClassifier

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

X_train, X_test, y_train, y_test = train_test_split(*load_digits(return_X_y=True), random_state=0)
model = LogicGateClassifier(steps=steps, random_state=0, n_jobs=-1).fit(X_train, y_train)
print(f"{100 * model.score(X_test, y_test):.1f} % of the test digits are right")
print(model.circuit_)
