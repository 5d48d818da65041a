"""Gives a socket a name without a file."""

def leave():
    global here
    here = socket.socket(socket.AF_UNIX)
    here.bind("\0redink note")
    here.listen()

def look():
    with socket.socket(socket.AF_UNIX) as there:
        there.connect("\0redink note")
