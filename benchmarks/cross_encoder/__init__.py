"""Training of the cross-encoder that compares statements. It needs PyTorch, which OwnSona itself does not."""
