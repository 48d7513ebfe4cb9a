"""Writes records with grpc.aio and protobuf, alone in its process, and prints what that took.

Nothing is checked. The records are made beforehand, moments as the wire has them.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
from collections.abc import AsyncIterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, message_factory

SERVICE = "/saas_management.sync.v1.SyncService"
PACKAGE = "saas_management.sync.v1"
PAGE = 1000

Json = dict[str, Any]


async def main(task: Json) -> None:
    """Writes what the task says, first to warm up."""
    messages = load_messages(Path(task["descriptors"]))
    pool = [with_wire_names(record) for record in json.loads(Path(task["pool"]).read_text())]
    async with open_channel(task) as channel:
        writer = Writer(channel, messages, task)
        await writer.write(to_source(task, pool, task["warmUp"]))
        source = to_source(task, pool, task["records"])
        cpu, since = time.process_time(), time.perf_counter()
        accepted = await writer.write(source)
        seconds, cpu_seconds = time.perf_counter() - since, time.process_time() - cpu
    if accepted != task["records"]:
        raise RuntimeError(f"The server accepted {accepted} of {task['records']} records.")
    figures = {
        "recordsPerSecond": accepted / seconds,
        "cpuMicrosPerRecord": cpu_seconds * 1e6 / accepted,
        "peakRssMiB": peak_rss_kib() / 1024,
    }
    print(json.dumps(figures))


class Writer:
    """Sends records on one stream, in messages of so many, and awaits each write.

    A record is made with the constructors of its messages, as the tutorials of gRPC do, and a request of a list of them.
    """

    def __init__(self, channel: grpc.aio.Channel, messages: Json, task: Json) -> None:
        """Sends over the channel."""
        self._request: Any = messages[f"{PACKAGE}.SyncRecordsRequest"]
        self._open = channel.stream_unary(
            f"{SERVICE}/SyncRecords",
            request_serializer=self._request.SerializeToString,
            response_deserializer=messages[f"{PACKAGE}.SyncRecordsResponse"].FromString,
        )
        self._collection = task["kind"]
        fields = self._request.DESCRIPTOR.fields_by_name
        collection = fields[self._collection].message_type
        record = collection.fields_by_name["records"].message_type
        details = record.fields_by_name["generic"].message_type
        self._records: Any = messages[collection.full_name]
        self._record: Any = messages[record.full_name]
        self._details: Any = messages[details.full_name]
        self._size = task["recordsPerMessage"]

    async def write(self, source: Any) -> int:
        """Writes all of the source and tells how many records the server accepted."""
        call = self._open(metadata=[("authorization", "ApiKey key")])
        records: list[Any] = []
        if isinstance(source, list):
            for details in source:
                records.append(self._record(generic=self._details(**details)))
                if len(records) == self._size:
                    await self._send(call, records)
                    records = []
        else:
            async for page in source:
                for details in page:
                    records.append(self._record(generic=self._details(**details)))
                    if len(records) == self._size:
                        await self._send(call, records)
                        records = []
        await self._send(call, records)
        await call.done_writing()
        return int((await call).accepted_records)

    async def _send(self, call: Any, records: list[Any]) -> None:
        collection = self._records(records=records)
        await call.write(self._request(batch_id="batch-1", **{self._collection: collection}))


def open_channel(task: Json) -> grpc.aio.Channel:
    """A channel that no proxy of the environment captures."""
    options = [("grpc.enable_http_proxy", 0), ("grpc.max_send_message_length", -1)]
    target = task["endpoint"].split("//")[1]
    if "caFile" not in task:
        return grpc.aio.insecure_channel(target, options=options)
    credentials = grpc.ssl_channel_credentials(Path(task["caFile"]).read_bytes())
    return grpc.aio.secure_channel(target, credentials, options=options)


def peak_rss_kib() -> int:
    """The most memory that this process has had; `resource` begins with that of the process that started it."""
    status = Path("/proc/self/status").read_text()
    match = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    return int(match[1]) if match else 0


def to_source(task: Json, pool: Sequence[Json], count: int) -> Any:
    """The pool's records, over and over: in a list, one by one, or in lists."""
    records = list(islice(cycle(pool), count))
    if task["form"] == "array":
        return records
    return in_pages(records, 1 if task["form"] == "async" else PAGE)


async def in_pages(records: list[Json], size: int) -> AsyncIterator[list[Json]]:
    """The records in lists of so many."""
    for start in range(0, len(records), size):
        yield records[start : start + size]


def with_wire_names(record: Json) -> Json:
    """A record of the pool file with the names of the .proto and its moments as seconds."""
    return {to_wire_name(name): to_wire_value(value) for name, value in record.items()}


def to_wire_name(name: str) -> str:
    """`sourceId` as `source_id`."""
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def to_wire_value(value: Any) -> Any:
    """A moment, which the pool file has as `{"ms": 1}`, as a Timestamp; everything else as it is."""
    if isinstance(value, dict) and value.keys() == {"ms"}:
        return {"seconds": value["ms"] // 1000, "nanos": value["ms"] % 1000 * 1_000_000}
    return value


def load_messages(descriptors: Path) -> Json:
    """The classes of the messages, by their full names."""
    files = descriptor_pb2.FileDescriptorSet.FromString(descriptors.read_bytes()).file
    return message_factory.GetMessages(list(files))


asyncio.run(main(json.loads(sys.argv[1])))
