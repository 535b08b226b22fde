"""Calls the client of the file that is named, with the environment and the call of its arguments, or else with those of
each line of the standard input. A line of its output is the result or the error of a call."""
import importlib.util
import json
import os
import sys

spec = importlib.util.spec_from_file_location("client", sys.argv[1])
client = importlib.util.module_from_spec(spec)
spec.loader.exec_module(client)


def run(env, call, options):
    """With `nowMs`, the clock shows that. It goes back by an hour in each pause, which takes no time; the result has their sum."""
    now = options.pop("nowMs", None)
    slept = 0

    def sleep(seconds):
        nonlocal now, slept
        slept += seconds
        now -= 3_600_000

    clock = {"now": lambda: now / 1000, "sleep": sleep} if now else {}
    try:
        momo = client.Client(
            env["MOMO_BASE_URL"],
            env["MOMO_API_KEY"],
            env["MOMO_API_SECRET"],
            env["MOMO_PAYMENT_ACCOUNT_ID"],
            client.FileStore(env["MOMO_ORDERS"]),
            **options,
            **clock,
        )
        result = getattr(momo, call[0])(*call[1:])
        if now:
            result = {**result, "slept": slept}
    except client.MomoError as failure:
        result = {"error": {"code": failure.kind, "message": str(failure), "may_have_paid": failure.may_have_paid}}
    print(json.dumps(result), flush=True)


words = sys.argv[2:]
if words:
    run(os.environ, words, {})
else:
    for line in sys.stdin:
        run(**json.loads(line))
