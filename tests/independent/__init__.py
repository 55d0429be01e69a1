"""A second verifier of transcripts, written from SPEC.md alone.

It shares no line with the product: it imports PyNaCl, msgpack and the standard library. Where the
two disagree about a file, SPEC.md or one of the two is wrong. Numbers in brackets such as [C-6] and
sections such as 10.5 are those of SPEC.md.
"""
