"""No dead code: what `protocol` and `p2p_hoity` define is used by more than tests."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from support.source import files_under, nodes_of, short, tree_of

PRODUCT = ("protocol", "p2p_hoity", "cli", "training", "tools", "bench")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
CALLED_FROM_OUTSIDE = {
    "collect": "prometheus-client calls it on what it is given",
    "remove_service": "zeroconf calls it on who browses",
    "use_backend": "what replaces libsodium where another implementation of the group is at hand",
    "observed": "what a host will ask its relays before it names its addresses",
}
"""Definitions that nothing of the product names, and why they stay."""


def used(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that are used, and words of short texts, which `__getattr__` may look up."""
    for node in nodes:
        match node:
            case ast.Name(name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.Constant(str(text)) if len(text) < 60:
                yield from re.findall(r"\w+", text)
            case ast.MatchClass():
                yield from node.kwd_attrs


def defined(tree: ast.Module | ast.ClassDef) -> Iterator[str]:
    """Its functions and classes, and those of its classes."""
    for node in tree.body:
        if isinstance(node, Definition) and not node.name.startswith("__"):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from defined(node)


def test_what_is_defined_is_used_by_the_product_and_no_exception_is_stale() -> None:
    names = Counter(name for path in files_under(*PRODUCT) for name in used(nodes_of(path)))
    dead = [
        f"{short(path)}: {name}"
        for path in files_under("protocol", "p2p_hoity")
        for name in defined(tree_of(path))
        if not names[name] and name not in CALLED_FROM_OUTSIDE
    ]
    assert dead == []
    definitions = {
        node.name
        for path in files_under(*PRODUCT)
        for node in nodes_of(path)
        if isinstance(node, Definition)
    }
    assert set(CALLED_FROM_OUTSIDE) <= definitions


def test_the_check_finds_what_it_looks_for() -> None:
    tree = ast.parse("def f():\n    return g\n\nclass C:\n    def m(self):\n        pass\n")
    assert set(defined(tree)) - set(used(ast.walk(tree))) == {"f", "C", "m"}
    assert {"g", "pass_on"} <= set(used(ast.walk(ast.parse("g; h = 'pass_on'"))))
