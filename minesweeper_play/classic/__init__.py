"""The line mode: typed commands and printed boards, for pipes, screen readers and plain terminals."""
