"""The version of the package, which every log carries."""

VERSION = "0.1.0.dev0"
