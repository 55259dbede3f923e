"""The k best of a gallery for each query, with rules for ties, self-matches and k.

The order is by score, then by gallery id; a query is never its own match, by id; a place without a
candidate is marked and is no hit (STANDARDS 1). Scores are float32 and exist one tile at a time.

- `request`: a checked request, and how its answer is written.
- `score_tiles`: all scores, tile by tile.
- `running_best`: the best seen so far, in an order without ties.
- `bounded`: exact search that scores only what an upper bound cannot exclude.
- `top_k`: chooses among these; `shortlist` is approximate.

Tiles stay where the vectors are. On the CPU, NumPy multiplies and selects; on another device torch
does, and only the lists are moved to the CPU.
"""
