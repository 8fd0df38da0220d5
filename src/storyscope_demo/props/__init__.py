"""What stands in the scenes: creatures, buildings, worlds; each file serves one or two stories."""
