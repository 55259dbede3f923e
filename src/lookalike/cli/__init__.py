"""The command line. Heavy imports are inside the commands, so that `--help` is fast."""

import sys
import warnings


def main() -> None:
    """Run the command line; exit with 0 if it worked, 1 if it failed, 2 for a wrong request."""
    from lookalike.cli.app import app
    from lookalike.cli.console import complain, say, show_warning
    from lookalike.errors import ImageError, LookalikeError

    warnings.showwarning = show_warning
    try:
        app()
    except LookalikeError as error:
        complain(str(error))
        if isinstance(error, ImageError) and error.row is not None:
            say("`lookalike data check` lists all such pictures; skip_bad leaves them out")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(0)  # the reader of the output closed it
