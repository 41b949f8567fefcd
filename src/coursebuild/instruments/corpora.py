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

HELD_OUT = (
    "the dog sat on the mat",
    "the cat ate the bone",
    "the fish sat on the log",
)
"""What panel 18.4 scores beside it."""

UNRELATED_LINES = (
    "the cat sat on the mat",
    "a dog barked at the moon",
    "my friend wrote a long letter",
    "the rain fell all afternoon",
    "she left before the film ended",
    "we ate bread and cheese",
)
"""The training text of panel 18.5."""

UNRELATED_HELD_OUT = (
    "the dog sat on the moon",
    "a cat barked at the mat",
)
"""What panel 18.5 scores beside it."""

WORDS = "low " * 5 + "lowest " * 2 + "newer " * 6 + "wider " * 3 + "new " * 2
"""The training text of panel 17.1."""

CATS = (
    "the cat sat on the mat and the cat sat on the hat " * 8
    + "the man on the mat sat and the cat ran on the sand " * 8
)
"""The training text of panel 17.5."""

CATS_ROUNDS = 40
"""How many merges panel 17.5 asks for."""

SAMPLES = {
    "English": "the cat sat on the mat",
    "Greek": "η γάτα κάθισε στο χαλί",
    "Japanese": "猫がマットの上に座った",
}
"""The sentence that panel 17.5 cuts, by its language."""

RARE = "the cat sat on the trampoline"
"""The sentence of panel 17.5 with a rare word."""
