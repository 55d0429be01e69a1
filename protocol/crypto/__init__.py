"""The building blocks: a group, proofs in it, and what is made of them."""
