"""What a judge meets: whatever comes next, the scales, and each answer saved as it is given."""
