"""What a researcher sees: progress, live reliability, judges and their links, the export."""
