"""`python -m tetherlab` and the script `tetherlab`: the command, read where Ctrl-C is answered already."""

import sys


def main() -> None:
    """Run the command."""
    try:
        from tetherlab.apps.cli import main as command
    except KeyboardInterrupt:
        print("tetherlab: stopped", file=sys.stderr)
        sys.exit(130)
    command()


if __name__ == "__main__":
    main()
