"""The tuned kernel behind `tiled_attention`: the same online softmax, written for the cores and caches of a CPU."""
