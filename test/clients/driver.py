"""Runs the client of the file that is named, in the time of a history: each line of the standard input is a payment."""
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
world = json.loads(sys.argv[2])


def ask(path):
    with urllib.request.urlopen(world["url"] + path) as answer:
        return json.load(answer)


momo = client.Client(
    world["url"] + "/v2", world["key"], world["secret"], world["account"], client.FileStore(world["folder"]),
    timeout=1000, now=lambda: ask("/now"), sleep=lambda seconds: ask(f"/sleep/{seconds}"),
)


def run(job):
    try:
        said = momo.pay(job["reference"], job["phone"], job["amount"])["status"]
    except client.MomoError as error:
        said = error.kind
    except Exception:
        said = "error " + traceback.format_exc()
    print(json.dumps({"job": job["job"], "said": said}), flush=True)


for line in sys.stdin:
    threading.Thread(target=run, args=(json.loads(line),), daemon=True).start()
