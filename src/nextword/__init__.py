"""The library that the course teaches: one module per idea, plain Python, written to be read on the page."""
