"""How a class lies in what an instructor has downloaded: one module for each platform's layout, and one that chooses."""
