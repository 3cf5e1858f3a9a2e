"""Reports: records of trials read in, tables and pages written out."""
