"""Programs for work on this checkout. They are no part of the product."""
