"""People from a recruiting platform: the open link, the places, the way back with a code."""
