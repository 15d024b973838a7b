"""Who rates what in which order, and what that balances."""
