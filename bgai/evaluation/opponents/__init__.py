"""Players that others made or that need no training: the measuring sticks of the arena."""

from bgai.evaluation.opponents.gnubg import GnubgPlayer
from bgai.evaluation.opponents.pip import PipPlayer
from bgai.evaluation.opponents.pubeval import PubevalPlayer
from bgai.evaluation.opponents.random_player import RandomPlayer
from bgai.evaluation.opponents.sage import SagePlayer

__all__ = ["GnubgPlayer", "PipPlayer", "PubevalPlayer", "RandomPlayer", "SagePlayer"]
