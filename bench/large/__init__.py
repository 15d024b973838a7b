"""Ratings by the ten million and the hundred million, on one machine."""
