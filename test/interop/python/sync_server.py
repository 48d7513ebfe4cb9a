"""A server of the Sync API, in memory: tells what it received, and refuses the calls that it is told to refuse."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import NoReturn

import grpc
from google.protobuf.message import Message

from batches import Batches, Refusal
from contract import SERVICE, Json, Method, Received, load_methods, to_json, to_wire
from lines import answer_lines, say

AUTHORIZATION = "ApiKey key-1"

Request = Received | Iterator[Received]


class SyncService:
    """The four RPCs, and what the tests ask of them."""

    def __init__(self, methods: dict[str, Method]) -> None:
        self._methods = methods
        self._lock = Lock()
        self._reset()

    def handlers(self) -> grpc.GenericRpcHandler:
        """What a gRPC server serves."""
        serve: dict[str, Callable[[Request], Json]] = {
            "StartSyncBatch": self._start,
            "SyncRecords": self._sync,
            "CompleteSyncBatch": self._complete,
            "AbortSyncBatch": self._abort,
        }
        return grpc.method_handlers_generic_handler(
            SERVICE, {name: self._handler(name, serve[name]) for name in self._methods}
        )

    def answer(self, question: Json) -> Json:
        """Answers the tests."""
        with self._lock:
            match question["ask"]:
                case "reset":
                    self._reset()
                case "received":
                    received, self._received = self._received, []
                    return {"received": received}
                case "refuse":
                    self._refusals.append(question)
                case "counts":
                    self._counts = question["counts"]
        return {}

    def _reset(self) -> None:
        self._batches = Batches()
        self._received: list[Json] = []
        self._refusals: list[Json] = []
        self._counts = True

    def _handler(self, name: str, serve: Callable[[Request], Json]) -> grpc.RpcMethodHandler:
        method = self._methods[name]

        def handle(request: Request, context: grpc.ServicerContext) -> Message:
            metadata = dict(context.invocation_metadata())
            with self._lock:
                self._received.append({"call": name, "metadata": text_only(metadata)})
                refusal = next((r for r in self._refusals if r["operation"] == name), None)
                if refusal is not None:
                    self._refusals.remove(refusal)
            try:
                if metadata.get("authorization") != AUTHORIZATION:
                    raise Refusal(grpc.StatusCode.UNAUTHENTICATED, "the key is not known")
                if refusal is not None and not refusal["applied"]:
                    raise Refusal(grpc.StatusCode[refusal["code"]], refusal["details"])
                response = serve(request)
                if refusal is not None:
                    raise Refusal(grpc.StatusCode[refusal["code"]], refusal["details"])
            except Refusal as refused:
                refuse(context, refused)
            return method.new_response(response)

        open_handler = (
            grpc.stream_unary_rpc_method_handler
            if method.streams_requests
            else grpc.unary_unary_rpc_method_handler
        )
        return open_handler(
            handle,
            request_deserializer=method.read_request,
            response_serializer=to_wire,
        )

    def _start(self, request: Request) -> Json:
        with self._lock:
            return {"batchId": self._batches.start(only(request)["installationId"])}

    def _sync(self, requests: Request) -> Json:
        accepted = 0
        for received in messages(requests):
            ids, collection, value = check_records(received)
            with self._lock:
                self._batches.accept(value["batchId"], collection, ids)
                self._received.append({"message": value, "wireBytes": received.wire_bytes})
            accepted += len(ids)
        return {"acceptedRecords": accepted} if self._counts else {}

    def _complete(self, request: Request) -> Json:
        with self._lock:
            counts = self._batches.complete(only(request)["batchId"])
            return counts if self._counts else {}

    def _abort(self, request: Request) -> Json:
        with self._lock:
            self._batches.abort(only(request)["batchId"])
        return {}


def check_records(received: Received) -> tuple[list[str], str, Json]:
    """The ids of a message's records, its collection, and all of it as JSON; or what the contract has against it."""
    message = received.message
    check_known(message)
    collection = message.WhichOneof("collection")
    if collection is None:
        raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "the message has no collection")
    ids = []
    for record in getattr(message, collection).records:
        variant = record.WhichOneof("variant")
        if variant is None:
            raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "a record has no variant")
        details = getattr(record, variant)
        # The first field of every model is its id, or for records without one the id of the actor.
        ids.append(getattr(details, details.DESCRIPTOR.fields_by_number[1].name))
    if "" in ids:
        raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "a record has no id")
    return ids, collection, to_json(message)


def check_known(message: Message) -> None:
    """Refuses what the contract does not have."""
    size = message.ByteSize()
    message.DiscardUnknownFields()
    if message.ByteSize() != size:
        raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "the message has fields that the contract does not have")


def only(request: Request) -> Json:
    """The one message of a call, with the ids that it lacks as empty texts."""
    assert isinstance(request, Received)
    check_known(request.message)
    return {"installationId": "", "batchId": "", **to_json(request.message)}


def messages(requests: Request) -> Iterator[Received]:
    """The messages of a stream."""
    assert not isinstance(requests, Received)
    return requests


def refuse(context: grpc.ServicerContext, refusal: Refusal) -> NoReturn:
    """Ends the call with a status, and with the state of the batch where that is the reason."""
    if refusal.batch_state is not None:
        context.set_trailing_metadata((("batch-state", refusal.batch_state),))
    context.abort(refusal.code, refusal.details)
    raise AssertionError("abort() raises")


def text_only(metadata: dict[str, str | bytes]) -> dict[str, str]:
    """The metadata that JSON can hold."""
    return {name: value for name, value in metadata.items() if isinstance(value, str)}


def main() -> None:
    """Serves on a free port of the loopback interface until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--descriptors", type=Path, required=True)
    parser.add_argument("--max-receive-bytes", type=int, help="gRPC's default of 4 MiB without it")
    parser.add_argument("--cert", type=Path, help="certificate; plain text without it")
    parser.add_argument("--key", type=Path, help="private key of the certificate")
    arguments = parser.parse_args()
    service = SyncService(load_methods(arguments.descriptors))
    options: list[tuple[str, int]] = [("grpc.so_reuseport", 0)]
    if arguments.max_receive_bytes is not None:
        options.append(("grpc.max_receive_message_length", arguments.max_receive_bytes))
    # Compression is on because a client has to read compressed answers too.
    server = grpc.server(ThreadPoolExecutor(8), options=options, compression=grpc.Compression.Gzip)
    server.add_generic_rpc_handlers((service.handlers(),))
    if arguments.cert is None:
        endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    else:
        identity = (arguments.key.read_bytes(), arguments.cert.read_bytes())
        tls = grpc.ssl_server_credentials([identity])
        endpoint = f"https://127.0.0.1:{server.add_secure_port('127.0.0.1:0', tls)}"
    server.start()
    say({"endpoint": endpoint})
    answer_lines(service.answer)
    server.stop(grace=None)


if __name__ == "__main__":
    main()
