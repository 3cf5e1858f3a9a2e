"""Statistics of repeated trials: numpy and scipy only, rows of numbers in, named results out.

Nothing here knows the benchmark. Import from the module that holds the thing:

* one agent: ``estimators``, ``pass_intervals``, ``heterogeneity``, ``beta_binomial``,
  ``prediction``, ``bootstrap``, ``two_way``, ``intervals``, ``expectations``
* several agents: ``comparison``, ``many``, ``unpaired``, ``gate``
* what distorts a number: ``grader_error``, ``agreement``, ``callers``, ``crashes``
* planning and money: ``design``, ``sample_size``, ``cost``, ``attempts``, ``horizon``
* ``coverage``: the simulation behind docs/coverage.md
"""
