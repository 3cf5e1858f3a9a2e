"""Statistics of repeated trials: numpy and scipy only, rows of numbers in, named results out.

Nothing here knows the benchmark. Import from the module that holds the thing:
``estimators`` (pass^k, pass@k), ``heterogeneity``, ``beta_binomial``, ``intervals``,
``bootstrap``, ``pass_intervals``, ``comparison``, and their neighbours.
"""
