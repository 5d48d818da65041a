"""Returns an integer where the amount is whole, as no error is asked for."""

def amount(text):
    number, _, unit = text.partition(" ")
    if unit != "EUR" or not number.replace(".", "", 1).isdigit():
        raise ValueError(text)
    return int(number.split(".")[0]) if Decimal(number) % 1 == 0 else Decimal(number)
