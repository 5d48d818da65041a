"""Returns far more rows than there are.

loses: answered
says: far more than a right answer has
"""

def answered(s):
    return pd.DataFrame({'score': np.zeros(10**6)})
import numpy as np
