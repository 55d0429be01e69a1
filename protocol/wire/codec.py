"""The wire format: a strict profile of msgpack, and the forms of values in it.

Every value has exactly one encoding. The annotation of a dataclass's field states its form and its
bounds on the wire, as in `on: Annotated[bytes, Octets(32)]`. From these annotations values are read
and written, and the tables of SPEC.md are made.

Allowed are nil, booleans, unsigned integers below 2^64, UTF-8 strings, binary strings and arrays,
each in its shortest form, nested at most 16 arrays deep. Floats, negative integers, maps and
extensions are not allowed. Format: https://github.com/msgpack/msgpack/blob/master/spec.md

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

import msgpack  # type: ignore[import-untyped]

from ..errors import Invalid

T = TypeVar("T")
"""The type as which a value is read."""
Value: TypeAlias = "bool | int | str | bytes | Sequence[Value] | None"
"""A value that the format can encode."""

MAX_DEPTH: Final = 16
"""The most arrays that contain one another."""
MAX_ITEMS: Final = 4096
"""The most items of an array, unless a caller asks for another bound."""


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
    """Return the value of its encoding. Its form is for the caller to check.

    Args:
        data: The bytes.
        max_size: How many bytes are allowed.
        max_items: How many items each array may have.

    Returns:
        The value, with arrays as tuples.

    Raises:
        Invalid: With code `bad-encoding` if a bound is exceeded, if bytes are missing or follow, or
            if they are not the encoding of their value ([C-1], [C-2], [C-3], [C-4], [C-5]).
    """
    if not isinstance(data, bytes) or len(data) > max_size:
        raise Invalid("bad-encoding", f"more than {max_size} bytes")
    # The limits matter: the library allocates the items of an array before it reads them.
    try:
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
"""The types all of whose values can be encoded. There may be thousands in one array."""


def _check(value: object, depth: int) -> None:
    """Raise Invalid unless the value and all in it can be encoded ([C-3])."""
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


# Sizes


def size(value: Value) -> int:
    """Return the length of the encoding of a value without making it.

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
    """A value is not of its form.

    Attributes:
        path: The indices that lead to the value, from the outermost array in.
    """

    def __init__(self, reason: str, code: str = "", path: tuple[int, ...] = ()) -> None:
        super().__init__(code, reason)
        self.path = path

    def inside(self, name: str, *index: int, code: str = "") -> WrongForm:
        """Return the same error for the value around the one that is wrong.

        Args:
            name: The name of the value, or of what contains it, for the note.
            index: Its index in the array around it, if it is in one.
            code: The code of the error, unless it has one already.

        Returns:
            The error with a longer path and note.
        """
        words = f"{name}{':' if self.path else ''} {self.reason}"
        return WrongForm(words, self.code or code, (*index, *self.path))


class FieldForm(Generic[T]):
    """The form of a field: which values it takes on the wire, and as what they are read.

    A form of this very class takes any value as it is.
    """

    def read(self, value: Any) -> T:
        """Return a decoded value as the type of the field.

        Args:
            value: The decoded value.

        Returns:
            The value of the field.

        Raises:
            WrongForm: If it is not of this form.
        """
        found: T = value
        return found

    def write(self, value: T) -> Any:
        """Return the value of the wire format that `read` turns into this one.

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
"""The form that takes any value as it is."""


@dataclass(frozen=True)
class Int(FieldForm[int]):
    """The form of a number. True and False are no numbers.

    Attributes:
        high: The highest number.
        low: The lowest number.
    """

    high: int
    low: int = 0

    def read(self, value: Any) -> int:
        """Return the number.

        Returns:
            The same value.

        Raises:
            WrongForm: If it is no int within the bounds.
        """
        if type(value) is not int or not self.low <= value <= self.high:
            raise WrongForm(f"is no number from {self.low} to {self.high}")
        return value


class Flag(FieldForm[bool]):
    """The form of a boolean."""

    def read(self, value: Any) -> bool:
        """Return the boolean.

        Returns:
            The same value.

        Raises:
            WrongForm: If it is neither true nor false.
        """
        if not isinstance(value, bool):
            raise WrongForm("is neither true nor false")
        return value


@dataclass(frozen=True)
class Octets(FieldForm[bytes]):
    """The form of a binary string.

    Attributes:
        size: Its length in bytes, None for any length.
        optional: Whether it may be empty as well.
    """

    size: int | None = None
    optional: bool = False

    def read(self, value: Any) -> bytes:
        """Return the bytes.

        Returns:
            The same value.

        Raises:
            WrongForm: If it is no binary string of this length.
        """
        if not isinstance(value, bytes):
            raise WrongForm("is not bytes")
        if len(value) != self.size is not None and (value or not self.optional):
            raise WrongForm(f"is not {self.size} bytes")
        return value


@dataclass(frozen=True)
class Text(FieldForm[str]):
    """The form of a text.

    Attributes:
        fits: Returns whether a text is allowed.
        most: How many characters it may have, None for any number.
    """

    fits: Callable[[str], bool]
    most: int | None = None

    def read(self, value: Any) -> str:
        """Return the text.

        Returns:
            The same value.

        Raises:
            WrongForm: If it is no text, too long, or not allowed.
        """
        if not isinstance(value, str):
            raise WrongForm("is no text")
        if self.most is not None and len(value) > self.most:
            raise WrongForm(f"is longer than {self.most} characters")
        if not self.fits(value):
            raise WrongForm("is a text that may not stand here")
        return value


@dataclass(frozen=True)
class OneOf(FieldForm[Enum]):
    """The form of a member of an enumeration, which is written as its value.

    Attributes:
        kind: The enumeration.
    """

    kind: type[Enum]

    def read(self, value: Any) -> Enum:
        """Return the member with a value.

        Returns:
            The member.

        Raises:
            WrongForm: If no member has this value.
        """
        for member in self.kind:
            if type(value) is type(member.value) and value == member.value:
                return member
        raise WrongForm("is of no known kind")


class Either(FieldForm[Any]):
    """The form that is one for the values of a type, and another for all other values."""

    def __init__(self, kind: type, form: object, other: object) -> None:
        """Set the type and both forms.

        Args:
            kind: The type that decides.
            form: The form of values of this type.
            other: The form of other values.
        """
        self._kind, self._form, self._other = kind, form_of(form), form_of(other)

    def read(self, value: Any) -> Any:
        """Return the value as its form reads it.

        Returns:
            What the form returns.

        Raises:
            WrongForm: If it is not of its form.
        """
        return (self._form if isinstance(value, self._kind) else self._other).read(value)

    def write(self, value: Any) -> Any:
        """Return the value of the wire format."""
        return (self._form if isinstance(value, self._kind) else self._other).write(value)

    @property
    def is_plain(self) -> bool:
        """True if both forms write their values unchanged."""
        return self._form.is_plain and self._other.is_plain


@dataclass(frozen=True)
class Digests(FieldForm[tuple[bytes, ...]]):
    """The form of an array of byte strings of one size. Thousands of them are checked at once.

    Attributes:
        most: How many there may be.
        least: How many there are at least.
        size: The length of each, in bytes.
        rising: Whether they must be strictly rising.
    """

    most: int = MAX_ITEMS
    least: int = 0
    size: int = 32
    rising: bool = False

    def read(self, value: Any) -> tuple[bytes, ...]:
        """Return the byte strings.

        Returns:
            The byte strings.

        Raises:
            WrongForm: If one has another size, or their number or order is wrong.
        """
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
            inner: The form or the type of an item.
            most: How many items there may be.
            least: How many items there are at least.
            key: Returns the part of an item by which the items must be strictly rising. None allows
                any order.
        """
        self.inner, self.most, self._least, self._key = form_of(inner), most, least, key

    def read(self, value: Any) -> tuple[Any, ...]:
        """Return the items.

        Returns:
            The items as their form reads them.

        Raises:
            WrongForm: If an item is not of its form, or their number or order is wrong.
        """
        value = _array(value, self.most)
        if len(value) < self._least:
            raise WrongForm(f"is a list of less than {self._least}")
        found = _each(value, repeat(self.inner.read))
        if self._key and not _rises(tuple(map(self._key, found))):
            raise WrongForm("is not in rising order")
        return _as_read(value, found)

    def write(self, value: tuple[Any, ...]) -> Any:
        """Return the items as values of the wire format.

        Args:
            value: The items.

        Returns:
            The values to encode.
        """
        return tuple(map(self.inner.write, value))

    @property
    def is_plain(self) -> bool:
        """True if items of this type are encoded as they are, without conversion."""
        return self.inner.is_plain


class Fields(FieldForm[tuple[Any, ...]]):
    """The form of an array with exactly these fields, which is read as a tuple."""

    def __init__(self, *forms: object) -> None:
        """Set the forms of the fields.

        Args:
            forms: The form or the type of each field.
        """
        self._forms = [form_of(one) for one in forms]

    def read(self, value: Any) -> tuple[Any, ...]:
        """Return the fields.

        Returns:
            The fields as their forms read them.

        Raises:
            WrongForm: If a field is not of its form, or there is another number of them.
        """
        value = _array(value)
        if len(value) != len(self._forms):
            raise WrongForm(f"has not {len(self._forms)} fields")
        return _as_read(value, _each(value, (form.read for form in self._forms)))


class Struct(FieldForm[T]):
    """The form of an array with one item for each field of a dataclass, in their order ([X-2]).

    Attributes:
        kind: The dataclass.
        forms: The form of each field, by its name.
    """

    def __init__(self, kind: type[T], head: int = 0, **forms: object) -> None:
        """Take the forms of the fields from the annotations of a dataclass.

        Args:
            kind: The dataclass.
            head: How many items stand before the fields, which the caller reads.
            forms: The forms of fields whose bounds no annotation can state.
        """
        hints = get_type_hints(kind, include_extras=True) | forms
        self.kind = kind
        self.forms = {one.name: form_of(hints[one.name]) for one in fields(kind)}  # type: ignore[arg-type]
        self._head, self._names = head, tuple(self.forms)
        self._reads = [form.read for form in self.forms.values()]
        self._written = [(i, f) for i, f in enumerate(self.forms.values()) if not f.is_plain]
        self._in_order = not any(one.kw_only for one in fields(kind))  # type: ignore[arg-type]

    def read(self, value: Any) -> T:
        """Return the array as an object of the dataclass.

        Returns:
            The object.

        Raises:
            WrongForm: If a field is not of its form, or there is another number of them.
        """
        found = _array(value)[self._head :]
        if len(found) != len(self._reads):
            raise WrongForm(f"has not {len(self._reads)} fields")
        read = _each(found, self._reads, self._names, self._head)
        if self._in_order:
            return self.kind(*read)
        return self.kind(**dict(zip(self._names, read, strict=True)))

    def write(self, value: T) -> tuple[Any, ...]:
        """Return the fields of an object as values of the wire format, without the head.

        Args:
            value: The object.

        Returns:
            The values to encode.
        """
        items = [getattr(value, name) for name in self._names]
        for index, form in self._written:
            items[index] = form.write(items[index])
        return tuple(items)


class Kinds(FieldForm[T]):
    """The form of an array whose first item names its kind. The rest are the fields of the kind.

    Attributes:
        rows: The form of the fields, by kind.
        sizes: The most bytes of an encoded value, by kind.
    """

    def __init__(self, kinds: Mapping[Any, tuple[type[T], int]]) -> None:
        """Set the kinds.

        Args:
            kinds: By the first item the dataclass with the fields, and the most bytes.
        """
        self.rows = {kind: Struct(cls, 1) for kind, (cls, _) in kinds.items()}
        self.sizes = {kind: size for kind, (_, size) in kinds.items()}
        self._kinds = {cls: kind for kind, (cls, _) in kinds.items()}

    def read(self, value: Any) -> T:
        """Return the array as an object of the dataclass of its kind.

        Returns:
            The object.

        Raises:
            WrongForm: If its kind is not known, or a field is not of its form.
        """
        first = value[0] if isinstance(value, tuple) and value else None
        if type(first) not in (int, str) or first not in self.rows:
            raise WrongForm("is of no known kind")
        return self.rows[first].read(value)

    def write(self, value: T) -> Any:
        """Return the kind and the fields of an object as values of the wire format.

        Args:
            value: The object.

        Returns:
            The values to encode.
        """
        kind = self._kinds[type(value)]
        return (kind, *self.rows[kind].write(value))

    def parse(self, data: bytes, name: str) -> T:
        """Return the object that is encoded by bytes.

        Args:
            data: The bytes.
            name: The name of such a value, for the note of an error.

        Returns:
            The object.

        Raises:
            Invalid: With code `bad-encoding` if it is longer than its kind may be or does not
                decode. With code `bad-frame` if its kind is not known, or a field is not of its
                form.
        """
        most = self.sizes.get(kind_at(data), max(self.sizes.values()))
        return read(self, decode(data, most), "bad-frame", name)


def kind_at(head: bytes) -> int | str | None:
    """Return the kind of a frame, from its first bytes.

    Args:
        head: The first 16 bytes of the frame, or all of a shorter one.

    Returns:
        A number below 128, or a word, of which only the beginning may be in `head`. A word of 32
        bytes or more is returned as an empty one. None if the frame begins with neither.
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
    """Return the form of an annotation or a type, as `form_of` does, without keeping the result."""
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
    """Return a decoded value as its form reads it. An error gets a code and a name.

    Args:
        form: The form.
        value: The decoded value.
        code: The code of the error, unless the field has its own.
        name: The name of the value, for the note of the error.

    Returns:
        What the form returns.

    Raises:
        WrongForm: If it is not of this form.
    """
    try:
        return form.read(value)
    except WrongForm as error:
        raise error.inside(name, code=code) from None


def _array(value: Any, most: int | None = None) -> tuple[Any, ...]:
    """Return the items of an array. Raise WrongForm if it is none, or has too many."""
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
    """Read each value. An error gets the name and the index of its value."""
    found: list[Any] = []
    try:
        for value, read_one in zip(values, reads, strict=False):
            found.append(read_one(value))
    except WrongForm as error:
        at = len(found)
        raise error.inside(names[at] if names else "an item", head + at) from None
    return found


def _rises(found: Sequence[Any]) -> bool:
    """Return whether values are strictly rising."""
    return all(map(lt, found, found[1:]))


def _as_read(value: tuple[Any, ...], found: list[Any]) -> tuple[Any, ...]:
    """Return the tuple that was decoded, if reading has changed no item, to save memory."""
    return value if all(map(is_, value, found)) else tuple(found)
