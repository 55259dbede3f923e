"""From a picture's file to the pixels that a network sees."""
