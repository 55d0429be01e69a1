"""The wire format: a restricted msgpack, and the classes that describe the forms of values.

Every value has exactly one encoding. The annotation of a dataclass's field states the form and the
bounds of the field on the wire, as in `on: Annotated[bytes, Octets(32)]`. Reading and writing use
these annotations, and the tables of SPEC.md (section 2.1) are made from them.

Allowed are nil, booleans, unsigned integers below 2^64, UTF-8 strings, binary strings and arrays,
each in its shortest form, nested at most 16 arrays deep. Floats, negative integers, maps and
extensions are not allowed. Format: https://github.com/msgpack/msgpack/blob/master/spec.md
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

# The library has no types.
import msgpack  # type: ignore[import-untyped]

from ..errors import Invalid

T = TypeVar("T")
"""The type of a value after reading."""
Value: TypeAlias = "bool | int | str | bytes | Sequence[Value] | None"
"""A value that the format can encode."""

MAX_DEPTH: Final = 16
"""The most levels of nested arrays."""
MAX_ITEMS: Final = 4096
"""The most items of an array, unless a caller gives another bound."""


def encode(value: Value) -> bytes:
    """Return the one encoding of a value ([C-1], [C-2]).

    Args:
        value: The value.

    Returns:
        The bytes.

    Raises:
        Invalid: With code `bad-encoding` if the value has no encoding.
    """
    _check(value, 0)
    try:
        return bytes(msgpack.packb(value, use_bin_type=True))
    except (ValueError, OverflowError):  # A lone surrogate, or 2^32 bytes or more.
        raise Invalid("bad-encoding", "a string that is not Unicode, or too long") from None


def decode(data: bytes, max_size: int, max_items: int = MAX_ITEMS) -> Any:
    """Return the value that bytes encode. The caller must check the form of the value.

    Args:
        data: The bytes.
        max_size: The most bytes that are allowed.
        max_items: The most items that each array may have.

    Returns:
        The value, with arrays as tuples.

    Raises:
        Invalid: With code `bad-encoding` if a bound is exceeded, if bytes are missing or left over,
            or if they are not the encoding of their value ([C-1], [C-2], [C-3], [C-4], [C-5]).
    """
    if not isinstance(data, bytes) or len(data) > max_size:
        raise Invalid("bad-encoding", f"more than {max_size} bytes")
    # The limits matter: the library allocates the items of an array before it reads them.
    try:
        value: Value = msgpack.unpackb(
            data, raw=False, use_list=False, max_array_len=max_items, max_map_len=0, max_ext_len=0
        )
    except (ValueError, msgpack.exceptions.UnpackException):
        raise Invalid("bad-encoding", "not the encoding of one value") from None
    # The library accepts longer forms. With them, one statement would have several hashes.
    if encode(value) != data:
        raise Invalid("bad-encoding", "not the shortest encoding of its value")
    return value


_PLAIN: Final = frozenset((type(None), bool, bytes, str))
"""The types of which every value can be encoded. They are checked fast, by the type alone."""


def _check(value: object, depth: int) -> None:
    """Raise Invalid unless a value and all values within it can be encoded ([C-3])."""
    if type(value) in _PLAIN:
        return
    if isinstance(value, int):
        if not 0 <= value < 2**64:
            raise Invalid("bad-encoding", "an integer outside 0 to 2^64 - 1")
    # An ExtType is a named tuple.
    elif isinstance(value, tuple | list) and not isinstance(value, msgpack.ExtType):
        if depth == MAX_DEPTH:
            raise Invalid("bad-encoding", f"arrays nested more than {MAX_DEPTH} deep")
        for item in value:
            if type(item) not in _PLAIN:
                _check(item, depth + 1)
    elif not isinstance(value, bytes | str):
        raise Invalid("bad-encoding", "a value of a kind that is not in the profile")


# Sizes


def size(value: Value) -> int:
    """Return the length of a value's encoding, without encoding arrays and bytes.

    Args:
        value: The value.

    Returns:
        The number of bytes.
    """
    if isinstance(value, tuple | list):
        head = 1 if len(value) < 16 else 3 if len(value) < 2**16 else 5
        return head + sum(map(size, value))
    if isinstance(value, bytes):
        head = 2 if len(value) < 2**8 else 3 if len(value) < 2**16 else 5
        return head + len(value)
    return len(encode(value))


class WrongForm(Invalid):
    """The error that a decoded value does not have the form that is required.

    Attributes:
        path: The indices that lead to the faulty value, from the outermost array in.
    """

    def __init__(self, reason: str, code: str = "", path: tuple[int, ...] = ()) -> None:
        super().__init__(code, reason)
        self.path = path

    def inside(self, name: str, *index: int, code: str = "") -> WrongForm:
        """Return a copy of this error that also says in which value the fault is.

        Args:
            name: The name of the faulty value, or of one that contains it. It is put before the
                text.
            index: The position of the named value in an array, put before `path`. Left out if it is
                in no array.
            code: The code of the copy if this error has no code.

        Returns:
            The copy.
        """
        words = f"{name}{':' if self.path else ''} {self.reason}"
        return WrongForm(words, self.code or code, (*index, *self.path))


class FieldForm(Generic[T]):
    """The form of a field: which values it may have on the wire, and how they are read and written.

    The base class itself is the form that allows any value, and leaves it unchanged.
    """

    def read(self, value: Any) -> T:
        """Check a decoded value, and convert it to the type of the field.

        Args:
            value: The decoded value.

        Returns:
            The value of the field.

        Raises:
            WrongForm: If the value is not of this form.
        """
        found: T = value
        return found

    def write(self, value: T) -> Any:
        """Convert a field's value to the value that is encoded: the inverse of `read`.

        Args:
            value: The value of the field.

        Returns:
            The value to encode.
        """
        return value

    @property
    def is_plain(self) -> bool:
        """True if `write` returns every value unchanged, so that it need not be called."""
        return type(self).write is FieldForm.write


ANY: Final[FieldForm[Any]] = FieldForm()
"""The form that allows any value, and leaves it unchanged."""


@dataclass(frozen=True)
class Int(FieldForm[int]):
    """The form of an int within bounds. True and False are not allowed.

    Attributes:
        high: The highest number.
        low: The lowest number.
    """

    high: int
    low: int = 0

    def read(self, value: Any) -> int:
        """Check that a value is an int within the bounds, and return it."""
        # Not isinstance, because True and False are ints to it.
        if type(value) is not int or not self.low <= value <= self.high:
            raise WrongForm(f"is no number from {self.low} to {self.high}")
        return value


class Flag(FieldForm[bool]):
    """The form of a boolean."""

    def read(self, value: Any) -> bool:
        """Check that a value is True or False, and return it."""
        if not isinstance(value, bool):
            raise WrongForm("is neither true nor false")
        return value


@dataclass(frozen=True)
class Octets(FieldForm[bytes]):
    """The form of a binary string.

    Attributes:
        size: The length in bytes, None for any length.
        optional: Whether it may be empty as well.
    """

    size: int | None = None
    optional: bool = False

    def read(self, value: Any) -> bytes:
        """Check that a value is a binary string of the right length, and return it."""
        if not isinstance(value, bytes):
            raise WrongForm("is not bytes")
        if len(value) != self.size is not None and (value or not self.optional):
            raise WrongForm(f"is not {self.size} bytes")
        return value


@dataclass(frozen=True)
class Text(FieldForm[str]):
    """The form of a text.

    Attributes:
        fits: A function that returns whether a text is allowed.
        most: The most characters, None for any number.
    """

    fits: Callable[[str], bool]
    most: int | None = None

    def read(self, value: Any) -> str:
        """Check that a value is an allowed text, and return it."""
        if not isinstance(value, str):
            raise WrongForm("is no text")
        if self.most is not None and len(value) > self.most:
            raise WrongForm(f"is longer than {self.most} characters")
        if not self.fits(value):
            raise WrongForm("is a text that may not stand here")
        return value


@dataclass(frozen=True)
class OneOf(FieldForm[Enum]):
    """The form of a field whose value is a member of an enumeration, encoded by its `value`.

    Attributes:
        kind: The enumeration.
    """

    kind: type[Enum]

    def read(self, value: Any) -> Enum:
        """Return the member of the enumeration with a given value."""
        for member in self.kind:
            # 1 == True, so the types are compared, too.
            if type(value) is type(member.value) and value == member.value:
                return member
        raise WrongForm("is of no known kind")


class Either(FieldForm[Any]):
    """A pair of forms: one for values of a given type, the other for all other values."""

    def __init__(self, kind: type, form: object, other: object) -> None:
        """Set the form of the values of one type, and that of all others."""
        self._kind, self._form, self._other = kind, form_of(form), form_of(other)

    def read(self, value: Any) -> Any:
        """Read a value by the form for its type."""
        return (self._form if isinstance(value, self._kind) else self._other).read(value)

    def write(self, value: Any) -> Any:
        """Convert a value by the form for its type."""
        return (self._form if isinstance(value, self._kind) else self._other).write(value)

    @property
    def is_plain(self) -> bool:
        """True if both forms are plain."""
        return self._form.is_plain and self._other.is_plain


@dataclass(frozen=True)
class Digests(FieldForm[tuple[bytes, ...]]):
    """The form of an array of byte strings of one length. Its check is fast even for thousands.

    Attributes:
        most: The most byte strings that there may be.
        least: The fewest byte strings that there may be.
        size: The length of each byte string, in bytes.
        rising: Whether the byte strings must be strictly rising.
    """

    most: int = MAX_ITEMS
    least: int = 0
    size: int = 32
    rising: bool = False

    def read(self, value: Any) -> tuple[bytes, ...]:
        """Check an array of byte strings, and return it."""
        found = _array(value, self.most)
        if not (set(map(type, found)) <= {bytes} and set(map(len, found)) <= {self.size}):
            raise WrongForm(f"holds what is not {self.size} bytes")
        if len(found) < self.least or (self.rising and not _rises(found)):
            raise WrongForm(f"is a list of less than {self.least}, or is not in rising order")
        return found


class Rows(FieldForm[tuple[Any, ...]]):
    """The form of an array whose items all have one form."""

    def __init__(
        self,
        inner: object,
        most: int = MAX_ITEMS,
        least: int = 0,
        key: Callable[[Any], Any] | None = None,
    ) -> None:
        """Set the form of the items and the bounds of the array.

        Args:
            key: The part of an item by which the items must be strictly rising. None allows any
                order.
        """
        self.inner, self.most, self._least, self._key = form_of(inner), most, least, key

    def read(self, value: Any) -> tuple[Any, ...]:
        """Read each item of an array by the form of the items."""
        value = _array(value, self.most)
        if len(value) < self._least:
            raise WrongForm(f"is a list of less than {self._least}")
        found = _each(value, repeat(self.inner.read))
        if self._key and not _rises(tuple(map(self._key, found))):
            raise WrongForm("is not in rising order")
        return _as_read(value, found)

    def write(self, value: tuple[Any, ...]) -> Any:
        """Convert each item to the value that is encoded."""
        return tuple(map(self.inner.write, value))

    @property
    def is_plain(self) -> bool:
        """True if the form of the items is plain."""
        return self.inner.is_plain


class Fields(FieldForm[tuple[Any, ...]]):
    """The form of an array with a fixed number of items, each of a form of its own."""

    def __init__(self, *forms: object) -> None:
        """Set the form or the type of each item, in order."""
        self._forms = [form_of(one) for one in forms]

    def read(self, value: Any) -> tuple[Any, ...]:
        """Read each item of an array by its own form."""
        value = _array(value)
        if len(value) != len(self._forms):
            raise WrongForm(f"has not {len(self._forms)} fields")
        return _as_read(value, _each(value, (form.read for form in self._forms)))


class Struct(FieldForm[T]):
    """The form of an array whose items are the fields of a dataclass, in their order ([X-2]).

    Attributes:
        kind: The dataclass.
        forms: The form of each field, by its name.
    """

    def __init__(self, kind: type[T], head: int = 0, **forms: object) -> None:
        """Take the forms of the fields from the annotations of a dataclass.

        Args:
            head: How many items of the array stand before the fields. The caller reads these items
                itself.
            forms: Forms by the name of a field. Each replaces the form in the field's annotation.
        """
        hints = get_type_hints(kind, include_extras=True) | forms
        self.kind = kind
        # A type variable is no dataclass to mypy, here and below.
        self.forms = {one.name: form_of(hints[one.name]) for one in fields(kind)}  # type: ignore[arg-type]
        self._head, self._names = head, tuple(self.forms)
        self._reads = [form.read for form in self.forms.values()]
        self._written = [(i, f) for i, f in enumerate(self.forms.values()) if not f.is_plain]
        self._in_order = not any(one.kw_only for one in fields(kind))  # type: ignore[arg-type]

    def read(self, value: Any) -> T:
        """Return the array as an object of the dataclass."""
        found = _array(value)[self._head :]
        if len(found) != len(self._reads):
            raise WrongForm(f"has not {len(self._reads)} fields")
        read = _each(found, self._reads, self._names, self._head)
        if self._in_order:
            return self.kind(*read)
        return self.kind(**dict(zip(self._names, read, strict=True)))

    def write(self, value: T) -> tuple[Any, ...]:
        """Convert the fields of an object, without the `head` items before them."""
        items = [getattr(value, name) for name in self._names]
        for index, form in self._written:
            items[index] = form.write(items[index])
        return tuple(items)


class Kinds(FieldForm[T]):
    """The form of an array whose first item names a kind; the other items are that kind's fields.

    Attributes:
        rows: The form of the whole array, by kind.
        sizes: The most bytes of an encoded value, by kind.
    """

    def __init__(self, kinds: Mapping[Any, tuple[type[T], int]]) -> None:
        """Set for each kind the dataclass of the items behind it, and the most bytes in all."""
        self.rows = {kind: Struct(cls, 1) for kind, (cls, _) in kinds.items()}
        self.sizes = {kind: size for kind, (_, size) in kinds.items()}
        self._kinds = {cls: kind for kind, (cls, _) in kinds.items()}

    def read(self, value: Any) -> T:
        """Turn an array into an object of the dataclass that its first item names."""
        first = value[0] if isinstance(value, tuple) and value else None
        # True would find the row of 1, and a tuple cannot always be hashed.
        if type(first) not in (int, str) or first not in self.rows:
            raise WrongForm("is of no known kind")
        return self.rows[first].read(value)

    def write(self, value: T) -> Any:
        """Convert an object to the array that is encoded: its kind, then its fields."""
        kind = self._kinds[type(value)]
        return (kind, *self.rows[kind].write(value))

    def parse(self, data: bytes, name: str) -> T:
        """Decode bytes to an object of the dataclass of their kind.

        Args:
            data: The bytes.
            name: The word for such a value in the text of an error.

        Returns:
            The object.

        Raises:
            Invalid: With code `bad-encoding` if the bytes are longer than their kind allows, or do
                not decode. With code `bad-frame` if the kind is not known, or if a field does not
                have its form.
        """
        # By the first bytes, so that a long frame of a short kind is refused before it is decoded.
        most = self.sizes.get(kind_at(data), max(self.sizes.values()))
        return read(self, decode(data, most), "bad-frame", name)


def kind_at(head: bytes) -> int | str | None:
    """Return the kind of a frame, from its first bytes.

    Args:
        head: The first 16 bytes of the frame, or the whole frame if it is shorter.

    Returns:
        The kind: a number below 128, or a word, cut off where `head` ends. A word of 32 bytes or
        more is "". None if the kind is neither such a number nor a word.
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
    """Return the form for an annotation or a type, without the cache of `form_of`."""
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
"""A function that returns the form that an annotation states, or that follows from its type."""


def read(form: FieldForm[T], value: Any, code: str, name: str) -> T:
    """Read a decoded value by a form. An error gets a code and the name of the value.

    Args:
        form: The form.
        value: The decoded value.
        code: The code of the error, used unless the error has a code already.
        name: The name of the value, for the note of the error.

    Returns:
        The value that the form makes of the decoded value.

    Raises:
        WrongForm: If the value is not of this form.
    """
    try:
        return form.read(value)
    except WrongForm as error:
        raise error.inside(name, code=code) from None


def _array(value: Any, most: int | None = None) -> tuple[Any, ...]:
    """Return the items of an array. Raise WrongForm if it is no array, or has more than `most`."""
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
    """Read each value with the function at the same position in `reads`.

    An error gets the item's name from `names`, and its index, which counts from `head`.
    """
    found: list[Any] = []
    try:
        for value, read_one in zip(values, reads, strict=False):
            found.append(read_one(value))
    except WrongForm as error:
        at = len(found)
        raise error.inside(names[at] if names else "an item", head + at) from None
    return found


def _rises(found: Sequence[Any]) -> bool:
    # Strictly: with repeated items one set could be written in many ways.
    return all(map(lt, found, found[1:]))


def _as_read(value: tuple[Any, ...], found: list[Any]) -> tuple[Any, ...]:
    """Return `found` as a tuple, or `value` itself if the items are the same objects."""
    # The same tuple, which saves memory: one of thousands of hashes is not copied.
    return value if all(map(is_, value, found)) else tuple(found)
