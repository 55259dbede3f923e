"""From a file to the pixels that a network sees."""
