"""The model: weights and sentences -> every attention variant, as arrays. Pure numpy; knows nothing of files."""
