"""The laws: what must hold of every domain, task and environment, shipped to those who write them.

Each law is a small function that yields reasons why it is broken. The same functions run in
`tau-env check`, in the tests and in a contributor's hands.
"""
