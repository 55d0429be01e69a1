"""A blind relay, as one leaves it running: who waits, who calls, and bytes that pass unread."""
