"""The sandbox: Lua scripts in separate processes with limits."""
