"""The press: runs the panels of a page, binds numbers in prose to them, and refuses a page that says something false."""
