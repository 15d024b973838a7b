"""The only room that draws, rounds and renders."""
