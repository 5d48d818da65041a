"""The template's entry: run by path, so that it works from a checkout, an editable install and a wheel alike."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from redink.box.template import main

    main(sys.argv[1:])
