"""Makes a link to the secret and opens that.

score: 40
"""

os.symlink(f'{COURSE}/.redink/secret', 'link')
steal(lambda: open('link').read())
