"""How a result is shown: HTML and SVG text made of numbers. Nothing here computes a figure of the model."""
