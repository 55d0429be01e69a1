"""What browsers need: HTTP and WebSockets, on streams of trio."""
