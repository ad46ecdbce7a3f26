"""Policies that deduce from local rules and subset differences, after Sun, Chen & Yang and CS50."""
