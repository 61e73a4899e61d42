"""How the toy model came to be: sentences from templates, a backward pass in NumPy, and the training.

Not part of what `pip install` gives. The forward pass is `attention.models.Toy`, the very model that readers run.
"""
