"""Tables and arrays in, estimates out; no file, clock, network or plot."""
