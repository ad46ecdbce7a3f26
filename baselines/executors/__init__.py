"""Executors of calls: this process, local processes, and what every maker of executors offers."""
