"""Runs the client of the file that is named, in the time of a history.

Each line of the standard input is a call, or the world of a new client.
"""
import importlib.util
import json
import os
import sys
import threading
import traceback
import urllib.request

spec = importlib.util.spec_from_file_location("client", sys.argv[1])
client = importlib.util.module_from_spec(spec)
spec.loader.exec_module(client)


class Store(client.FileStore):
    """On a disk that can be full."""

    def __init__(self, folder, url):
        super().__init__(folder)
        self.full = folder + "/full"
        self.url = url

    def add(self, key, order, replaces=False):
        if os.path.exists(self.full):
            raise OSError(28, "No space left on device")
        super().add(key, order, replaces)
        if "~" not in key:
            urllib.request.urlopen(f"{self.url}/still/").close()


def create_client(world):
    def now():
        with open(world["folder"] + "/now") as file:
            return float(file.read())

    def sleep(seconds):
        urllib.request.urlopen(f"{world['url']}/sleep/{seconds}").close()

    return client.Client(
        world["url"] + "/v2", world["key"], world["secret"], world["account"], Store(world["folder"], world["url"]),
        timeout=1000, now=now, sleep=sleep,
    )


def run(momo, job):
    try:
        result = getattr(momo, job["name"])(*job["args"])
        said = {"orders": result} if isinstance(result, list) else {"order": result}
    except client.MomoError as error:
        said = {"error": {"kind": error.kind, "mayHavePaid": error.may_have_paid}}
    except Exception:
        said = traceback.format_exc()
    print(json.dumps({"job": job["job"], "said": said}), flush=True)


momo = None
for line in sys.stdin:
    job = json.loads(line)
    if "world" in job:
        momo = create_client(job["world"])
    else:
        threading.Thread(target=run, args=(momo, job), daemon=True).start()
