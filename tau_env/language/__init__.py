"""What texts say: pure functions of (text, lexicon), one parse for all who ask.

`read_agent` (in `acts`) reads an agent's message, `read_customer` (in `replies`) a customer's
answer, `find_literals` (in `literals`) the values in any text. No state, no domain's name.
"""
