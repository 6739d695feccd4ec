"""Inline extensions in a second or two, over slim headers, and whose fault it is where that fails."""
