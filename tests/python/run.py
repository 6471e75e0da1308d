"""Runs pytest on one file of tests; 77 where it or scikit-learn is missing."""

import sys

try:
    import pytest
    import sklearn  # noqa: F401
except ImportError as missing:
    print(f"{missing}; scripts/setup --tests installs it")
    sys.exit(77)
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
