"""What a screen is told of a table, whatever it shows it with."""
