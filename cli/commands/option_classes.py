"""How a command takes dataclasses of options: each field is an option that Typer reads."""

from __future__ import annotations

import functools
from collections.abc import Callable
from copy import copy
from dataclasses import Field, dataclass, field, fields, is_dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from typer import Option

from .typed_paths import path_given


@dataclass(frozen=True)
class Without:
    """An annotation by which a command leaves out fields of a dataclass of options."""

    names: tuple[str, ...]


def takes_options(command: Callable[..., None]) -> Callable[..., None]:
    """Turn a function whose parameters are dataclasses of options into a function for Typer.

    It has an option for each of their fields. Parameters of types that Typer knows stay as they
    are.
    """
    shown: list[Parameter] = []
    built: dict[str, tuple[type[Any], list[str]]] = {}
    hints = get_type_hints(command, include_extras=True)
    for parameter in signature(command).parameters.values():
        hint = hints[parameter.name]
        kind: Any = getattr(hint, "__origin__", hint)
        is_options = is_dataclass(kind)
        if not is_options:
            shown.append(parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY))
            continue
        left_out = {name for one in getattr(hint, "__metadata__", ()) for name in one.names}
        offered = [one for one in fields(kind) if one.name not in left_out]
        of_fields = get_type_hints(kind, include_extras=True)
        shown += [_parameter(kind, one, of_fields[one.name]) for one in offered]
        built[parameter.name] = kind, [one.name for one in offered]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, (kind, names) in built.items():
            given[name] = kind(**{one: given.pop(one) for one in names})
        command(**given)

    # Typer reads this attribute of functions, of which type checkers do not know.
    run.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    run.__annotations__ = {}
    return run


def _parameter(kind: type[Any], of: Field[Any], hint: Any) -> Parameter:
    """Turn the field `of` of the dataclass `kind` into a parameter for Typer, of type `hint`."""
    told = of.metadata.get("option")
    if told is None:
        hint, told = hint.__origin__, hint.__metadata__[0]
    # The original stays in the dataclass, of which other commands take their options.
    shown = copy(told)
    if shown.default is ...:  # No name was given, which Typer at first reads as a default.
        shown.default = "--" + of.name.replace("_", "-")
    # A field without a heading of its own stands under that of its dataclass.
    shown.rich_help_panel = told.rich_help_panel or kind.HEADING
    if hint == Path | None:
        shown.callback = path_given
    shown_as = Annotated[hint, shown]
    return Parameter(of.name, Parameter.KEYWORD_ONLY, default=of.default, annotation=shown_as)


def option(
    default: Any, words: str | None, *names: str, heading: str | None = None, **more: Any
) -> Any:
    """Return a field of a dataclass of options, with Typer's option in its metadata.

    Args:
        words: The help text. None to hide the option.
        names: How the option is typed, such as `--from`. None to use the name of the field.
        heading: The heading of the option in the help. None for the `HEADING` of the dataclass.
        more: Further arguments of Typer's `Option`.
    """
    shown = Option(*names, help=words, hidden=words is None, rich_help_panel=heading, **more)
    return field(default=default, metadata={"option": shown})
