"""What tests share: rooms, games, processes, and ways to go wrong."""
