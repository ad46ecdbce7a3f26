"""Policies of users: classes and functions in modules and files, loaded, called and wrapped."""
