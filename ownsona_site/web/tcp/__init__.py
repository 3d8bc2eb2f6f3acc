"""The TCP connections of a web server process: how many there are, who has to go, and who is refused."""
