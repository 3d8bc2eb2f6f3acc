"""Change notifications to clients that subscribed to them."""
