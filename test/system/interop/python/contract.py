"""The contract of the Sync API, from a descriptor set that the tests compile from the .proto files.

No code is generated: the compiler in Debian's python3-grpc-tools does not know `optional` fields of proto3.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, message_factory
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message

SERVICE = "saas_management.sync.v1.SyncService"

Json = dict[str, Any]


@dataclass(frozen=True)
class Received:
    """A message and the size that it had on the wire."""

    message: Message
    wire_bytes: int


@dataclass(frozen=True)
class Method:
    """One RPC of the service, with its codecs."""

    path: str
    streams_requests: bool
    request: type[Message]
    response: type[Message]

    def new_request(self, value: Json) -> Message:
        """The request that protobuf's JSON describes."""
        return ParseDict(value, self.request())

    def new_response(self, value: Json) -> Message:
        """The response that protobuf's JSON describes."""
        return ParseDict(value, self.response())

    def read_request(self, wire: bytes) -> Received:
        """Decodes a request as it came."""
        return Received(self.request.FromString(wire), len(wire))


def load_methods(descriptor_set: Path, service_name: str = SERVICE) -> dict[str, Method]:
    """The methods of a service by their names."""
    files = descriptor_pb2.FileDescriptorSet.FromString(descriptor_set.read_bytes()).file
    messages = message_factory.GetMessages(list(files))
    return {
        method.name: Method(
            path=f"/{service_name}/{method.name}",
            streams_requests=method.client_streaming,
            request=messages[method.input_type.lstrip(".")],
            response=messages[method.output_type.lstrip(".")],
        )
        for file in files
        for service in file.service
        if f"{file.package}.{service.name}" == service_name
        for method in service.method
    }


def to_json(message: Message) -> Json:
    """A message as protobuf's JSON."""
    value: Json = MessageToDict(message)
    return value


def to_wire(message: Message) -> bytes:
    """A message as its bytes."""
    wire: bytes = message.SerializeToString()
    return wire
