"""The command line: each command a few lines over a public function."""
