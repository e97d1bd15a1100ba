"""The outermost layer, the only one that builds concrete objects: commands, terminal, bots."""
