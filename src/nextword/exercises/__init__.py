"""The exercises of the lessons, each with a checker: ``grade("20.3", my_attention)`` says which named checks hold.

One module an exercise, named after the lesson and its number: ``e20_3_...``. The page of exercises, the labs and the tests
take the starting point, the solution and the typical wrong answers from there.
"""

from nextword.exercises.catalogue import exercise, exercises
from nextword.exercises.grading import grade

__all__ = ["exercise", "exercises", "grade"]
