"""Starts processes; the next box looks how many, in what it has from its zygote."""

import gc

def leave():
    for _ in range(20):
        made = os.fork()
        if not made:
            os._exit(0)
        os.waitpid(made, 0)

def look():
    places = [vars(one) for one in gc.get_objects() if type(one).__name__ == "_Zygote"]
    frame = sys._getframe()
    while frame := frame.f_back:
        places += [frame.f_locals] if frame.f_code.co_filename.endswith("zygote.py") else []
    numbers = sorted((name, one) for place in places for name, one in place.items() if type(one) is int)
    return [one for one in numbers if one[0] not in ("me", "_worker")]
