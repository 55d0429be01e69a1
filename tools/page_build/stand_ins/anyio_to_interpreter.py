"""What anyio finds in a page in the place of its module for other interpreters: there are none."""
