"""What is wrong with the outside world, as one sentence, and reading files so that it is said."""
import csv
import json
import math
import tomllib


class Problem(Exception):
    """One sentence that names the thing and the way out."""


def text_of(path):
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Problem(f"{path} does not exist") from None
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not text'}") from None


def read_json(path):
    return parse_json(text_of(path), path)


def parse_json(text, place):
    try:
        return json.loads(text)
    except ValueError:
        raise Problem(f"{place} is damaged: it is not JSON; restore it or make it again") from None


def read_toml(path):
    try:
        return tomllib.loads(text_of(path))
    except tomllib.TOMLDecodeError as error:
        raise Problem(f"{path} is not TOML: {error}") from None


def read_csv(path, columns):
    """The rows as dictionaries; columns must be there, and every row must be whole."""
    lines = list(csv.reader(text_of(path).splitlines()))
    header = lines[0] if lines else []
    for column in columns:
        if column not in header:
            raise Problem(f"{path} is damaged: it has no column {column}")
    for number, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(header):
            raise Problem(f"{path} is damaged: line {number} has {len(cells)} cells, the header {len(header)}")
    return [dict(zip(header, cells)) for cells in lines[1:]]


def number(value, place):
    """A finite number; place says where it comes from."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        result = math.nan
    if isinstance(value, bool) or not math.isfinite(result):
        raise Problem(f"{place} is damaged: {value!r} is not a number")
    return result


def at(table, place, *keys):
    """What a path of keys leads to in nested tables."""
    for key in keys:
        if not isinstance(table, dict) or key not in table:
            raise Problem(f"{place} is damaged: it has no {'.'.join(keys)}")
        table = table[key]
    return table
