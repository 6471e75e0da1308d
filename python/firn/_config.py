"""Configurations as Python writes them: dictionaries and values as TOML, which the library checks."""

import json
import os

from ._firn import Config, ConfigError


def to_toml(value):
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {to_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(to_toml, value)) + "]"
    if hasattr(value, "item"):  # a number of numpy
        return to_toml(value.item())
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    raise ConfigError(f"a configuration cannot hold {value!r}; use a string, a number, a bool, a list or a dict")


def _key(key):
    if not isinstance(key, str):
        raise ConfigError(f"the key {key!r} must be a string")
    return key if all(c.isalnum() or c in "-_" for c in key) else json.dumps(key, ensure_ascii=False)


def _leaves(tree, prefix=""):
    """(dotted key, value) of every value that is not a dictionary."""
    for key, value in tree.items():
        if not isinstance(key, str):
            raise ConfigError(f"the key {key!r} must be a string")
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def resolve(config, changes=None):
    """A Config from a Config, a dictionary, a preset, a path or TOML text, with keys set anew."""
    if isinstance(config, Config):
        resolved = config
    elif isinstance(config, dict):
        lines = (f"{'.'.join(map(_key, key.split('.')))} = {to_toml(value)}" for key, value in _leaves(config))
        resolved = Config.from_toml("\n".join(lines))
    elif isinstance(config, (str, os.PathLike)):
        text = os.fspath(config)
        is_text = isinstance(config, str) and ("\n" in text or "=" in text)
        resolved = Config.from_toml(text) if is_text else Config.named(text)
    else:
        raise TypeError("config must be a preset, a dict, TOML text, a path or a firn.Config, "
                        f"not {type(config).__name__}")
    if changes:
        resolved = resolved._with([(key, to_toml(value)) for key, value in _leaves(changes)])
    return resolved
