"""The policies, one document a domain: what agents read and graders hold them to."""
