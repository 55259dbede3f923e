"""The command line. Heavy imports happen inside the commands, so that `--help` is quick."""

import sys
import warnings


def main() -> None:
    """Run the command line; exit 0 if it worked, 1 if it failed, 2 if the request was wrong."""
    from lookalike.cli.app import app
    from lookalike.cli.console import complain, say, show_warning
    from lookalike.errors import ImageError, LookalikeError

    warnings.showwarning = show_warning
    try:
        app()
    except LookalikeError as error:
        complain(str(error))
        if isinstance(error, ImageError) and error.row is not None:
            say("see all of them with `lookalike data check`; skip_bad leaves them out")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(0)  # whoever read our output has seen enough
