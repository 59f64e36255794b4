"""What lessoncore may use of the standard library in the browser. Run inside Pyodide to learn which files that takes.

Imports alone don't tell: some modules import others only when a function runs, so those functions run here.
"""

import base64
import bisect
import codecs
import collections.abc
import contextlib
import copy
import csv
import dataclasses
import datetime
import decimal
import difflib
import enum
import fractions
import functools
import hashlib
import heapq
import html
import io
import itertools
import json
import math
import operator
import os.path
import pkgutil
import random
import re
import statistics
import string
import sys
import textwrap
import tomllib
import traceback
import types
import typing
import urllib.parse
import warnings


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    size: int = 1
    name: str = "row"


class Colour(enum.Enum):
    RED = "red"


class Flag(enum.Flag):
    A = enum.auto()


@functools.singledispatch
def dispatch(value: object) -> str:
    return repr(value)


def format_an_error() -> None:
    try:
        try:
            json.loads("{")
        except ValueError as error:
            raise ExceptionGroup("both", [error, KeyError("é")]) from error
    except ExceptionGroup as group:
        traceback.format_exception(group)
        traceback.format_exc()


def use_everything() -> None:
    format_an_error()
    dataclasses.asdict(dataclasses.replace(Row(), size=2))
    typing.get_type_hints(Row)
    dispatch(Row())
    copy.deepcopy([Row(), Colour.RED, Flag.A])
    json.dumps(json.loads('{"a": [1.5, "é", null]}'), indent=2, sort_keys=True)
    tomllib.loads('a = 1\nd = 2024-01-02\nt = [{x = 1.5, s = "é"}]')
    random.Random(7).expovariate(2.0)
    random.Random("seed").shuffle([1, 2, 3])
    statistics.quantiles([1.0, 2.0, 4.0], n=4)
    statistics.NormalDist().inv_cdf(0.9)
    statistics.fmean([1, 2])
    statistics.stdev([1, 2, 4])
    difflib.get_close_matches("promt", ["prompt", "answer"])
    datetime.date.fromisoformat("2026-01-02").strftime("%d %B %Y")
    datetime.datetime.strptime("2026-01-02", "%Y-%m-%d")
    os.path.join(os.path.dirname(__name__), "a")
    format(decimal.Decimal("1.10"), ",.2f")
    fractions.Fraction("1/3").limit_denominator(10)
    list(csv.DictReader(io.StringIO("a,b\n1,2\n")))
    csv.writer(io.StringIO()).writerow([1, "é"])
    html.unescape(html.escape("<a & 'b'>"))
    re.compile(r"(?i)\bé+(?P<x>\d)").sub("", "é1")
    string.Template("$a").substitute(a=1)
    textwrap.dedent("  a")
    hashlib.sha256(base64.b64encode(b"x")).hexdigest()
    urllib.parse.parse_qs(urllib.parse.urlencode({"a": "é"}))
    with contextlib.suppress(OSError):
        pkgutil.get_data("json", "no such file")
    for encoding in ("ascii", "latin-1", "utf-8", "utf-8-sig"):
        codecs.lookup(encoding)
    warnings.formatwarning("text", UserWarning, "file", 1)
    with contextlib.suppress(ValueError), contextlib.redirect_stdout(io.StringIO()):
        print(
            math.inf,
            bisect.bisect([1], 1),
            heapq.nsmallest(1, [2, 1]),
            operator.add(1, 2),
            list(itertools.pairwise([1])),
        )
    types.SimpleNamespace(a=collections.OrderedDict(collections.Counter("aab")))


def stdlib_files() -> list[str]:
    """The files of the standard library's zip behind every module that is loaded now."""
    files = (getattr(module, "__file__", None) or "" for module in list(sys.modules.values()))
    return sorted({path.partition(".zip/")[2] for path in files if ".zip/" in path})


use_everything()
