"""Recipes and benchmarks; nothing here is needed by bgai. A package only for the tests' sake."""
