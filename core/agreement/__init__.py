"""Pure statistics: numbers in, numbers out. No store, clock, network or hidden randomness."""
