"""The version of OwnSona."""

VERSION = "0.1.0"
