"""Links between peers: TLS, flooding, discovery and the relay; trio only."""
