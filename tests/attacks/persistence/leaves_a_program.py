"""Leaves a program running under another name.

score: 40
"""

!exec -a redink_attack_daemon sleep 3600 &
!setsid nohup sh -c 'exec -a redink_attack_daemon sleep 3600' &
