"""A verifiable shuffle: proof that a deck was permuted and re-encrypted and nothing else.

Terelius and Wikström 2010 ("Proofs of Restricted Shuffles") as written out by Haenni, Locher,
Koenig and Dubuis 2017 ("Pseudo-Code Algorithms for Verifiable Re-encryption Mix-Nets"),
algorithms GenShuffleProof and CheckShuffleProof; the proof carries the challenge in place of
the announcement. With u the weights of the positions before and u'_i = u_order[i], it shows:

1. sum c_j - sum h_i = (..) BASE and 2. chain_N - (prod u) h = (..) BASE and
3. sum u_j c_j = (..) BASE + sum u'_i h_i: the c_j commit to a permutation;
4. sum u'_i after_i re-encrypts sum u_j before_j;
5. chain_i = (..) BASE + u'_i chain_{i-1}, from chain_0 = h.

Multiplications: prove 5N and 3N of BASE; verify 8N and N of BASE. Additions: 6N and 9N.
"""

from .mix import Prepared, ShuffleSecret, prepare, shuffle
from .proof_format import proof_size
from .prove import prove
from .verify import verify

__all__ = ["Prepared", "ShuffleSecret", "prepare", "proof_size", "prove", "shuffle", "verify"]
