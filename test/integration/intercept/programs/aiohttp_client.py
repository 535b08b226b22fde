import asyncio

import aiohttp


async def pay():
    async with aiohttp.ClientSession(trust_env=True) as session:
        call = session.post(
            "https://payflow.example/api/v2/stkpush.php",
            json={"payment_account_id": 1, "phone": "0712345678", "amount": 100},
            headers={"X-API-Key": "live_key", "X-API-Secret": "live_secret"},
        )
        async with call as answer:
            print(await answer.text())


asyncio.run(pay())
