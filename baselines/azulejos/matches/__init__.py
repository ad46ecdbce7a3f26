"""Matches of Azulejos: policies play each other on seeded boards, from both seats."""
