"""Agreement: message store, votes, the followed chain, and the base of a change of epoch."""
