"""The shipped model: two models whose vectors are joined, one for English and one for many languages."""
