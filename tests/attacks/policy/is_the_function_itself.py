"""Asks the forbidden function itself, as an object that can be called.

score: 40
says: asks you to do without
"""

import functools

class Scale:
    spread = staticmethod(functools.partial(vars(np)["std"], axis=0))

    def __call__(self, X):
        return centre(X) / self.spread(X)

scale = Scale()
