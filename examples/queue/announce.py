"""Announces through the internal queue, as a Python service would: one BullMQ job, whose data is the announcement.

pip install bullmq
REDIS_URL=redis://127.0.0.1:6379 python3 examples/queue/announce.py QUEUE ID [SUBJECT]
"""

import asyncio
import os
import sys
from datetime import datetime, timezone

from bullmq import Queue


async def announce(name: str, event_id: str, subject: str) -> None:
    queue = Queue(name, {"connection": os.environ["REDIS_URL"]})
    try:
        job = await queue.add(
            "announce",
            {
                "pack": "mail",
                "ref": "new_item",
                # The event's own id: announce it twice and it is recorded once.
                "id": event_id,
                "account": "inbox@example.com",
                "occurred_at": datetime.now(timezone.utc).isoformat(),
                "data": {"id": "m1", "subject": subject},
            },
        )
        print(f"{name}:{job.id}")
    finally:
        await queue.close()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: announce.py QUEUE ID [SUBJECT]")
    words = [*sys.argv[1:], "Lunch on Friday?"]
    asyncio.run(announce(words[0], words[1], words[2]))
