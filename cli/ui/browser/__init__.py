"""What runs in the worker of a page in a browser, which has no terminal, disk or network."""
