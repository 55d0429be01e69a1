"""What tests share: tables, games, processes, and ways to go wrong."""
