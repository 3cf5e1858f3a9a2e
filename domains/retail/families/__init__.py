"""The families of the toy store: one module a family, found by folder scan."""
