"""The widgets that an author can put on a page: a file each, and the list of all in registry.

Only the build imports them all; the browser loads what a live part needs.
"""
