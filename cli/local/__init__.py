"""What is of this machine: one's own key, one seat a terminal, and the bots' processes."""
