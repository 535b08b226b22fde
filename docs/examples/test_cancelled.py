# test_cancelled.py
from client import Client, FileStore  # momo client python > client.py


def test_a_customer_who_cancels_is_not_charged(momo, tmp_path):
    def sleep(seconds):  # moves the sandbox's clock instead
        times.append(times[-1] + seconds)
        momo.advance(seconds)

    times = [0]
    keys = (momo.base_url, momo.api_key, momo.api_secret, momo.payment_account_id)
    shop = Client(*keys, FileStore(tmp_path), now=lambda: times[-1], sleep=sleep)
    momo.add_rule(outcome="cancelled", times=1)
    assert shop.pay("ORDER-0001", "0712345678", 100)["status"] == "cancelled"
