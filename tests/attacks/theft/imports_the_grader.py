"""Removes the stand-in for redink and imports the grader.

score: 40
"""

import sys
del sys.modules['redink']
sys.path.insert(0, f'{CODE}')
steal(lambda: __import__('redink.grader.course').grader.course.Course(COURSE).secret())
