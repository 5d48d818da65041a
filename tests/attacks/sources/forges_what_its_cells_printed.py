"""Forges the account of three hundred cells, each with as much output as a whole notebook may have.

most: 40
"""

attack = """
import msgspec, os, socket
grader = socket.socket(fileno=os.dup(3))
for index in range(2, 303):
    run = dict(index=index, status='ok', output=chr(0x1F600) * 65_000)
    data = msgspec.msgpack.encode(dict(type='cell', run=run))
    grader.sendall(len(data).to_bytes(8, 'little') + data)
os._exit(0)
"""
cells = [attack, *["pass"] * 300]
