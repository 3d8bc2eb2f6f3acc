"""The shipped model: three models whose vectors are joined, one for English and two for many languages."""
