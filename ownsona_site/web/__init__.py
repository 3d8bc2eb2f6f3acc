"""The ASGI application, the gunicorn worker and the middleware."""
