"""`redink`, and `python -m redink_cli`."""

import sys


def main() -> None:
    """Run a command; whoever only reads the script that calls this, as each worker does, loads none."""
    from redink_cli.app import main as run

    run()


if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the folder one stands in, where `redink` finds no modules either
    main()
