"""Who is who: persons, what they agreed to, and what they may do here."""
