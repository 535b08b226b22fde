# conftest.py
import json
import subprocess

import pytest


@pytest.fixture(scope="session")
def momo():
    command = "momo serve --ephemeral --port 0 --json --quiet --until-stdin-closes"
    with subprocess.Popen(command.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        yield json.loads(server.stdout.readline())
