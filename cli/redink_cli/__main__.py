"""`python -m redink_cli` is `redink`."""

import sys

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the folder one stands in, where `redink` finds no modules either
    from redink_cli.app import main

    main()
