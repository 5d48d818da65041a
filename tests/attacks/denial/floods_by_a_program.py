"""Lets a program print without an end.

score: 40
"""

!yes
