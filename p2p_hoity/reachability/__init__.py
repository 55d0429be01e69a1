"""How others reach this node: what is found out about it, and what it is good for."""
