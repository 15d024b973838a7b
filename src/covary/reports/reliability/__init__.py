"""Reliability."""
