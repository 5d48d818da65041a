"""`python -m redink_cli` is `redink`."""

from redink_cli.app import main

if __name__ == "__main__":
    main()
