"""A few words instead of a ticket: codes as people say them, and the exchange that they open."""
