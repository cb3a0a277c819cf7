-- For PostgreSQL and Citus only: without it, entries wait in a list that grew to 283 GB for 213,000 rows elsewhere.
ALTER INDEX catchword.item_words SET (fastupdate = off);
