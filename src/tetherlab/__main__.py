"""`python -m tetherlab` is the command `tetherlab`."""

from tetherlab.apps.cli import main

if __name__ == "__main__":
    main()
