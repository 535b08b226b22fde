from pathlib import Path
from subprocess import check_output


def test_a_paid_order_is_as_recorded():
    shop = "momo pay 0712345678 100 --outcome 'completed; after=0s' -q; momo list --json"  # or your program
    momo = ["momo", "exec", "--seed", "shop", "--clock", "2026-03-31 23:59:50"]
    printed = check_output([*momo, "--", "sh", "-c", shop], text=True)
    recorded = Path("paid.json")
    if not recorded.exists():
        recorded.write_text(printed)
    assert printed == recorded.read_text()
