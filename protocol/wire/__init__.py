"""What travels: strict encodings of headers, bodies, messages, frames, and the codes of faults."""
