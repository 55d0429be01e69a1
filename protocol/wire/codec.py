"""The wire format: a strict profile of msgpack, and the forms of the values in it.

Every value has exactly one encoding. A dataclass states in the annotation of each field which form
and which bounds the field has on the wire: `on: Annotated[bytes, Octets(32)]`. From these
annotations its rows are read and written, and the tables of SPEC.md are made.

Allowed: nil, bool, unsigned integers below 2^64, str (UTF-8), bin and arrays, each in its
shortest form, nested at most 16 arrays deep. Not allowed: floats, negative integers, maps and
extensions. Format: https://github.com/msgpack/msgpack/blob/master/spec.md

SPEC: section 2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import repeat
from operator import is_, lt
from types import NoneType
from typing import Annotated, Any, Final, Generic, TypeAlias, TypeVar, get_args, get_type_hints

import msgpack  # type: ignore[import-untyped]  # it ships no types

from ..errors import Invalid

T = TypeVar("T")
Value: TypeAlias = "bool | int | str | bytes | Sequence[Value] | None"

MAX_DEPTH: Final = 16
MAX_ITEMS: Final = 4096
"""Items in one array, by default."""


def encode(value: Value) -> bytes:
    """The one encoding of `value`. Raises Invalid('bad-encoding') if it has none ([C-1], [C-2])."""
    _check(value, 0)
    try:
        return bytes(msgpack.packb(value, use_bin_type=True))
    except (ValueError, OverflowError):  # a lone surrogate; 2^32 bytes or more
        raise Invalid("bad-encoding", "a string that is not Unicode, or too long") from None


def decode(data: bytes, max_size: int, max_items: int = MAX_ITEMS) -> Any:
    """The value of `data`, arrays as tuples; its shape is for the caller to check.

    Raises Invalid('bad-encoding') for more than `max_size` bytes, arrays of more than
    `max_items`, deeper nesting, anything outside the profile, missing or trailing bytes, and
    any bytes that differ from the encoding of their own value ([C-1], [C-2], [C-3], [C-4], [C-5]).
    """
    if not isinstance(data, bytes) or len(data) > max_size:
        raise Invalid("bad-encoding", f"more than {max_size} bytes")
    try:  # under limits: it sets aside room for an array's items before it sees them
        value: Value = msgpack.unpackb(
            data,
            raw=False,
            use_list=False,
            max_array_len=max_items,
            max_map_len=0,
            max_ext_len=0,
        )
    except (ValueError, msgpack.exceptions.UnpackException):
        raise Invalid("bad-encoding", "not the encoding of one value") from None
    if encode(value) != data:
        raise Invalid("bad-encoding", "not the shortest encoding of its value")
    return value


_PLAIN: Final = frozenset((type(None), bool, bytes, str))
"""Kinds of which every value belongs to the profile; there may be thousands in one array."""


def _check(value: object, depth: int) -> None:
    """Raise unless the value and all in it belong to the profile ([C-3])."""
    if type(value) in _PLAIN:
        return
    if isinstance(value, int):
        if not 0 <= value < 2**64:
            raise Invalid("bad-encoding", "an integer outside 0 to 2^64 - 1")
    elif isinstance(value, tuple | list) and not isinstance(value, msgpack.ExtType):
        if depth == MAX_DEPTH:
            raise Invalid("bad-encoding", f"arrays nested more than {MAX_DEPTH} deep")
        for item in value:
            if type(item) not in _PLAIN:
                _check(item, depth + 1)
    elif not isinstance(value, bytes | str):
        raise Invalid("bad-encoding", "a value of a kind that is not in the profile")


# The encoding of a long value, in parts.


def size(value: Value) -> int:
    """Return how many bytes the encoding of `value` has, without making it."""
    if isinstance(value, tuple | list):
        head = 1 if len(value) < 16 else 3 if len(value) < 2**16 else 5
        return head + sum(map(size, value))
    if isinstance(value, bytes):
        head = 2 if len(value) < 2**8 else 3 if len(value) < 2**16 else 5
        return head + len(value)
    return len(encode(value))


class WrongForm(Invalid):
    """A value that is not of its form.

    Attributes:
        path: The indices that lead to the value, from the outermost array in.
    """

    def __init__(self, reason: str, code: str = "", path: tuple[int, ...] = ()) -> None:
        super().__init__(code, reason)
        self.path = path

    def inside(self, name: str, *index: int, code: str = "") -> WrongForm:
        """Return the same error as told of what stands around the value.

        Args:
            name: What the value, or what holds it, is called.
            index: Its index in the array around it, if it is in one.
            code: The code of the error, unless it has one already.
        """
        words = f"{name}{':' if self.path else ''} {self.reason}"
        return WrongForm(words, self.code or code, (*index, *self.path))


class FieldForm(Generic[T]):
    """Which values a field takes on the wire, and as what they are read.

    A form of this very class takes any value as it is.
    """

    def read(self, value: Any) -> T:
        """Return a decoded value as its type. Raises WrongForm if it is not of this form."""
        found: T = value
        return found

    def write(self, value: T) -> Any:
        """Return the plain value that `read` turns into this one."""
        return value

    @property
    def is_plain(self) -> bool:
        """Whether values are written as they are, so that `write` need not be called."""
        return type(self).write is FieldForm.write


ANY: Final[FieldForm[Any]] = FieldForm()


@dataclass(frozen=True)
class Int(FieldForm[int]):
    """A number from `low` to `high`, both included. True and False are no numbers."""

    high: int
    low: int = 0

    def read(self, value: Any) -> int:
        """Return the number. Raises WrongForm for what is not of this form."""
        if type(value) is not int or not self.low <= value <= self.high:
            raise WrongForm(f"is no number from {self.low} to {self.high}")
        return value


class Flag(FieldForm[bool]):
    """True or False."""

    def read(self, value: Any) -> bool:
        """Return the flag. Raises WrongForm for what is not of this form."""
        if not isinstance(value, bool):
            raise WrongForm("is neither true nor false")
        return value


@dataclass(frozen=True)
class Octets(FieldForm[bytes]):
    """Bytes, `size` of them if it is given. Where they are `optional`, none is right too."""

    size: int | None = None
    optional: bool = False

    def read(self, value: Any) -> bytes:
        """Return the bytes. Raises WrongForm for what is not of this form."""
        if not isinstance(value, bytes):
            raise WrongForm("is not bytes")
        if len(value) != self.size is not None and (value or not self.optional):
            raise WrongForm(f"is not {self.size} bytes")
        return value


@dataclass(frozen=True)
class Text(FieldForm[str]):
    """Text for which `fits` is true, of at most so many characters."""

    fits: Callable[[str], bool]
    most: int | None = None

    def read(self, value: Any) -> str:
        """Return the text. Raises WrongForm for what is not of this form."""
        if not isinstance(value, str):
            raise WrongForm("is no text")
        if self.most is not None and len(value) > self.most:
            raise WrongForm(f"is longer than {self.most} characters")
        if not self.fits(value):
            raise WrongForm("is a text that may not stand here")
        return value


@dataclass(frozen=True)
class OneOf(FieldForm[Enum]):
    """The value of one member of an enumeration."""

    kind: type[Enum]

    def read(self, value: Any) -> Enum:
        """Return the member. Raises WrongForm for what is not of this form."""
        for member in self.kind:
            if type(value) is type(member.value) and value == member.value:
                return member
        raise WrongForm("is of no known kind")


class Either(FieldForm[Any]):
    """One form for the values that are of a type, and another for all other values."""

    def __init__(self, kind: type, form: object, other: object) -> None:
        self._kind, self._form, self._other = kind, form_of(form), form_of(other)

    def read(self, value: Any) -> Any:
        """Return the value by its form. Raises WrongForm for what is not of this form."""
        return (self._form if isinstance(value, self._kind) else self._other).read(value)

    def write(self, value: Any) -> Any:
        """Return the plain value."""
        return (self._form if isinstance(value, self._kind) else self._other).write(value)

    @property
    def is_plain(self) -> bool:
        """Whether values of both forms are written as they are."""
        return self._form.is_plain and self._other.is_plain


@dataclass(frozen=True)
class Digests(FieldForm[tuple[bytes, ...]]):
    """An array of byte strings of one size. There may be thousands, so they are read at once."""

    most: int = MAX_ITEMS
    least: int = 0
    size: int = 32
    rising: bool = False

    def read(self, value: Any) -> tuple[bytes, ...]:
        """Return the byte strings. Raises WrongForm for what is not of this form."""
        found = _array(value, self.most)
        if not (set(map(type, found)) <= {bytes} and set(map(len, found)) <= {self.size}):
            raise WrongForm(f"holds what is not {self.size} bytes")
        if len(found) < self.least or (self.rising and not _rises(found)):
            raise WrongForm(f"is a list of less than {self.least}, or is not in rising order")
        return found


class Rows(FieldForm[tuple[Any, ...]]):
    """An array of items of one form."""

    def __init__(
        self,
        inner: object,
        most: int = MAX_ITEMS,
        least: int = 0,
        key: Callable[[Any], Any] | None = None,
    ) -> None:
        """State the bounds of the array.

        Args:
            inner: The form or the type of an item.
            most: How many items there may be.
            least: How many items there are at least.
            key: By what of an item the items are in rising order; None if in any order.
        """
        self.inner, self.most, self._least, self._key = form_of(inner), most, least, key

    def read(self, value: Any) -> tuple[Any, ...]:
        """Return the items. Raises WrongForm for what is not of this form."""
        value = _array(value, self.most)
        if len(value) < self._least:
            raise WrongForm(f"is a list of less than {self._least}")
        found = _each(value, repeat(self.inner.read))
        if self._key and not _rises(tuple(map(self._key, found))):
            raise WrongForm("is not in rising order")
        return _as_read(value, found)

    def write(self, value: tuple[Any, ...]) -> Any:
        """Return the plain items."""
        return tuple(map(self.inner.write, value))

    @property
    def is_plain(self) -> bool:
        """Whether the items are written as they are."""
        return self.inner.is_plain


class Fields(FieldForm[tuple[Any, ...]]):
    """An array with exactly these fields, read and written as a tuple of the same values."""

    def __init__(self, *forms: object) -> None:
        self._forms = [form_of(one) for one in forms]

    def read(self, value: Any) -> tuple[Any, ...]:
        """Return the fields. Raises WrongForm for what is not of this form."""
        value = _array(value)
        if len(value) != len(self._forms):
            raise WrongForm(f"has not {len(self._forms)} fields")
        return _as_read(value, _each(value, (form.read for form in self._forms)))


class Struct(FieldForm[T]):
    """An array with a field for each field of a dataclass, in their order ([X-2]).

    Attributes:
        kind: The dataclass.
        forms: The form of each field.
    """

    def __init__(self, kind: type[T], head: int = 0, **forms: object) -> None:
        """Make the plan by which rows of a dataclass are read and written.

        Args:
            kind: The dataclass.
            head: How many items stand before the fields. They are for the caller to read.
            forms: The forms of fields whose bounds are not known before.
        """
        hints = get_type_hints(kind, include_extras=True) | forms
        self.kind = kind
        self.forms = {one.name: form_of(hints[one.name]) for one in fields(kind)}  # type: ignore[arg-type]
        self._head, self._names = head, tuple(self.forms)
        self._reads = [form.read for form in self.forms.values()]
        self._written = [(i, f) for i, f in enumerate(self.forms.values()) if not f.is_plain]
        self._in_order = not any(one.kw_only for one in fields(kind))  # type: ignore[arg-type]

    def read(self, value: Any) -> T:
        """Return the row as its dataclass. Raises WrongForm for what is not of this form."""
        found = _array(value)[self._head :]
        if len(found) != len(self._reads):
            raise WrongForm(f"has not {len(self._reads)} fields")
        read = _each(found, self._reads, self._names, self._head)
        if self._in_order:
            return self.kind(*read)
        return self.kind(**dict(zip(self._names, read, strict=True)))

    def write(self, value: T) -> tuple[Any, ...]:
        """Return the plain fields, without a head."""
        items = [getattr(value, name) for name in self._names]
        for index, form in self._written:
            items[index] = form.write(items[index])
        return tuple(items)


class Kinds(FieldForm[T]):
    """An array whose first item says of which kind it is; the rest are the fields of the kind.

    Attributes:
        rows: The form of the fields of each kind.
        sizes: The most bytes of each kind.
    """

    def __init__(self, kinds: Mapping[Any, tuple[type[T], int]]) -> None:
        self.rows = {kind: Struct(cls, 1) for kind, (cls, _) in kinds.items()}
        self.sizes = {kind: size for kind, (_, size) in kinds.items()}
        self._kinds = {cls: kind for kind, (cls, _) in kinds.items()}

    def read(self, value: Any) -> T:
        """Return the row as its dataclass. Raises WrongForm for what is not of this form."""
        first = value[0] if isinstance(value, tuple) and value else None
        if type(first) not in (int, str) or first not in self.rows:
            raise WrongForm("is of no known kind")
        return self.rows[first].read(value)

    def write(self, value: T) -> Any:
        """Return the kind and the plain fields."""
        kind = self._kinds[type(value)]
        return (kind, *self.rows[kind].write(value))

    def parse(self, data: bytes, name: str) -> T:
        """Return the frame that these bytes are; `name` is what errors call it.

        Raises:
            Invalid: If it is longer than its kind may be, or no encoding ('bad-encoding'). If it
                is of no known kind, or a field has another form ('bad-frame').
        """
        most = self.sizes.get(kind_at(data), max(self.sizes.values()))
        return read(self, decode(data, most), "bad-frame", name)


def kind_at(head: bytes) -> int | str | None:
    """Return the kind of a frame, from its first bytes.

    Args:
        head: The first 16 bytes of the frame, or all of a shorter one.

    Returns:
        A number below 128, or a word, of which there may be only the beginning in `head`. A word
        of 32 bytes or more is told as an empty one. None if the frame begins with neither.
    """
    first = head[1] if len(head) > 1 else 0xC0
    if first < 0x80:
        return first
    if 0xA0 <= first < 0xC0:
        return head[2 : 2 + first - 0xA0].decode("ascii", "replace")
    return "" if first == 0xD9 else None


Octets32 = Annotated[bytes, Octets(32)]
"""A hash, a public key, a commitment or a nonce."""
Octets64 = Annotated[bytes, Octets(64)]
"""A signature, or a proof of two scalars."""


def _form_of(hint: Any) -> FieldForm[Any]:
    if isinstance(hint, FieldForm):
        return hint
    for one in getattr(hint, "__metadata__", ()):
        if isinstance(one, FieldForm):
            return one
    if NoneType in get_args(hint):
        (inner,) = (one for one in get_args(hint) if one is not NoneType)
        return Either(NoneType, ANY, inner)
    if isinstance(hint, type) and is_dataclass(hint):
        return Struct(hint)
    plain: dict[Any, FieldForm[Any]] = {bytes: Octets(), bool: Flag(), Any: ANY}
    return plain[hint] if hint in plain else OneOf(hint)


form_of: Final[Callable[[Any], FieldForm[Any]]] = cache(_form_of)
"""Return the form that an annotation states, or that follows from its type."""


def read(form: FieldForm[T], value: Any, code: str, name: str) -> T:
    """Return a decoded value as its form says.

    Args:
        form: The form.
        value: The value.
        code: The code of the error, unless the field has its own.
        name: What the value is called in errors.

    Raises:
        WrongForm: If it is not of this form.
    """
    try:
        return form.read(value)
    except WrongForm as error:
        raise error.inside(name, code=code) from None


def _array(value: Any, most: int | None = None) -> tuple[Any, ...]:
    if not isinstance(value, tuple | list):
        raise WrongForm("is no list")
    if most is not None and len(value) > most:
        raise WrongForm(f"is a list of more than {most}")
    return tuple(value)


def _each(
    values: tuple[Any, ...],
    reads: Iterable[Callable[[Any], Any]],
    names: Sequence[str] = (),
    head: int = 0,
) -> list[Any]:
    """Read each value; an error tells the name and the index of its value."""
    found: list[Any] = []
    try:
        for value, read_one in zip(values, reads, strict=False):
            found.append(read_one(value))
    except WrongForm as error:
        at = len(found)
        raise error.inside(names[at] if names else "an item", head + at) from None
    return found


def _rises(found: Sequence[Any]) -> bool:
    return all(map(lt, found, found[1:]))


def _as_read(value: tuple[Any, ...], found: list[Any]) -> tuple[Any, ...]:
    """Return the very tuple that was read if reading has changed no item: it is held anyway."""
    return value if all(map(is_, value, found)) else tuple(found)
