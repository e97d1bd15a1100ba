"""Text protocols through which other programs ask a bot: GNU Backgammon's sockets, and UBGI."""
