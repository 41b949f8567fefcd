"""Plants faults in the site's own pages, one at a time, and asks of each that the build refuses it at its place.

A build that refuses nothing passes all true pages. So each kind of fault that the press is for is planted in each panel,
each exercise and each lab, and the press must name the file, the line and what is wrong. `kinds` says what is planted and
what must be said of it; `ground` builds a page as the site builder does; ``python -m coursebuild.planting`` does all.
"""
