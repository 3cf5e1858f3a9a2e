"""What families of every domain are made with: drawing, dialogues, the frame of a task.

Nothing here knows a table, a tool or a word of a domain; that is in its own ``families`` folder.
How a family is declared and run is in `tau_env.family`.
"""
