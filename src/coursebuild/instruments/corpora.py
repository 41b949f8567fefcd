"""Texts that instruments begin with: those of the panels that they extend, which a test holds equal."""

LINES = (
    "the cat sat on the mat",
    "the cat ate the fish",
    "the dog sat on the log",
    "the dog ate the bone",
    "the cat sat on the log",
    "the dog ate the fish",
)
"""The training text of lesson 18."""

SENTENCES = [line.split() for line in LINES]
