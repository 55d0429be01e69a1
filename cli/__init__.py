"""The hoity command: what a player sees and types."""
