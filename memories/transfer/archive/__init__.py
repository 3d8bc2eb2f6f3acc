"""Complete archives of an owner's data: one file that another installation can import."""
