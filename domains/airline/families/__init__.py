"""The families of the airline: one module a family, found by folder scan."""
