"""Money sessions and matches: the score, the cube, and what may be done now."""

from bgai.match.cube_state import CubeState, Owner

__all__ = ["CubeState", "Owner"]
