"""What the contract demands of a request, beyond what decoding shows."""

from __future__ import annotations

import grpc
from google.protobuf.message import Message

from batches import Refusal
from contract import Json, Received, to_json


def read_records(received: Received) -> tuple[Json, str, list[str]]:
    """A request of SyncRecords as JSON, the wire's name of its collection, and the ids of its records."""
    message = received.message
    check_known(message)
    collection = message.WhichOneof("collection")
    if collection is None:
        raise invalid("the message has no collection")
    ids: list[str] = []
    for record in getattr(message, collection).records:
        variant = record.WhichOneof("variant")
        if variant is None:
            raise invalid("a record has no variant")
        details = getattr(record, variant)
        # Each model's first field is the record's id or, if records have no id, the actor's id.
        ids.append(getattr(details, details.DESCRIPTOR.fields_by_number[1].name))
    if "" in ids:
        raise invalid("a record has no id")
    return to_json(message), collection, ids


def read_id(received: Received, field: str) -> str:
    """The id that is all of a request."""
    check_known(received.message)
    value = str(getattr(received.message, field))
    if value == "":
        raise invalid(f"{field} is missing")
    return value


def check_known(message: Message) -> None:
    """Refuses a message with fields that the contract does not have."""
    size = message.ByteSize()
    message.DiscardUnknownFields()
    if message.ByteSize() != size:
        raise invalid("the message has fields that the contract does not have")


def invalid(details: str) -> Refusal:
    """The refusal of a request that is not as the contract has it."""
    return Refusal(grpc.StatusCode.INVALID_ARGUMENT, details)
