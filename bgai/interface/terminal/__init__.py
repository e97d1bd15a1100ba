"""A game against a bot, one line of text at a time."""
