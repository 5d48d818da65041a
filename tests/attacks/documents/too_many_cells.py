"""Has 100,000 cells.

state: ungradable
says: more than the 2000 cells
"""

import json
document = json.dumps({'cells': [{'cell_type': 'code', 'source': ''}] * 100_000}).encode()
