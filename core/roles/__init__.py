"""Role cards: facets sampled or written, compiled into one text, checked, saved or imported."""
