"""Runs commands of the client of the file that is named, one after the other.

Each line of the standard input is the environment and the arguments of a command. The answer is what it prints, and its
exit code.
"""
import contextlib
import io
import json
import os
import runpy
import sys

file = sys.argv[1]
for line in sys.stdin:
    command = json.loads(line)
    os.environ.update(command["env"])
    sys.argv = [file, *command["args"]]
    code = 0
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        try:
            runpy.run_path(file, run_name="__main__")
        except SystemExit as end:
            code = end.code
    print(json.dumps({"stdout": printed.getvalue(), "exitCode": code}), flush=True)
