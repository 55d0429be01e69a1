"""Links between peers: TLS, flooding, discovery and the ways to a peer; trio only."""
