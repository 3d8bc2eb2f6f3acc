"""Training of the cross-encoders. It needs PyTorch, which OwnSona itself does not."""
