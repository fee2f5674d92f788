"""The command line: options, tables, JSON, exit codes; and the only reading of the environment."""
