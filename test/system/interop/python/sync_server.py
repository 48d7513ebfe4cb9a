"""A server of the Sync API, in memory: tells what it received, and refuses what it is told to."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import NoReturn

import grpc
from google.protobuf.message import Message

from batches import Batches, Refusal
from checks import read_id, read_records
from contract import SERVICE, Json, Method, Received, load_methods, to_wire
from lines import answer_lines, say

AUTHORIZATION = "ApiKey key-1"

Request = Received | Iterator[Received]


@dataclass
class State:
    """What the server keeps between the questions of the tests."""

    batches: Batches = field(default_factory=Batches)
    received: list[Json] = field(default_factory=list)
    refusals: list[Json] = field(default_factory=list)
    counts: bool = True


class SyncService:
    """The four RPCs, and what the tests ask of them."""

    def __init__(self, methods: dict[str, Method]) -> None:
        """Serves the methods of the contract."""
        self._methods = methods
        self._lock = Lock()
        self._state = State()

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
                    self._state = State()
                case "received":
                    received, self._state.received = self._state.received, []
                    return {"received": received}
                case "refuse":
                    self._state.refusals.append(question)
                case "counts":
                    self._state.counts = question["counts"]
        return {}

    def _handler(self, name: str, serve: Callable[[Request], Json]) -> grpc.RpcMethodHandler:
        method = self._methods[name]

        def handle(request: Request, context: grpc.ServicerContext) -> Message:
            metadata = dict(context.invocation_metadata())
            refusal = self._note_call(name, metadata)
            try:
                if metadata.get("authorization") != AUTHORIZATION:
                    raise Refusal(grpc.StatusCode.UNAUTHENTICATED, "the key is not known")
                if refusal is not None and not refusal["applied"]:
                    raise scripted(refusal)
                response = serve(request)
                if refusal is not None:
                    raise scripted(refusal)
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

    def _note_call(self, name: str, metadata: dict[str, str | bytes]) -> Json | None:
        """Notes a call, and returns how it is to be refused."""
        text = {key: value for key, value in metadata.items() if isinstance(value, str)}
        with self._lock:
            self._state.received.append({"call": name, "metadata": text})
            refusals = self._state.refusals
            refusal = next((scripted for scripted in refusals if scripted["operation"] == name), None)
            if refusal is not None:
                refusals.remove(refusal)
            return refusal

    def _start(self, request: Request) -> Json:
        with self._lock:
            return {"batchId": self._state.batches.start(read_id(only(request), "installation_id"))}

    def _sync(self, request: Request) -> Json:
        accepted = 0
        for received in stream(request):
            message, collection, ids = read_records(received)
            with self._lock:
                self._state.batches.accept(message["batchId"], collection, ids)
                self._state.received.append({"message": message, "wireBytes": received.wire_bytes})
            accepted += len(ids)
        return {"acceptedRecords": accepted} if self._state.counts else {}

    def _complete(self, request: Request) -> Json:
        with self._lock:
            counts = self._state.batches.complete(read_id(only(request), "batch_id"))
            return counts if self._state.counts else {}

    def _abort(self, request: Request) -> Json:
        with self._lock:
            self._state.batches.abort(read_id(only(request), "batch_id"))
        return {}


def only(request: Request) -> Received:
    """The request of a call that takes one."""
    assert isinstance(request, Received)
    return request


def stream(request: Request) -> Iterator[Received]:
    """The requests of a call that takes many."""
    assert not isinstance(request, Received)
    return request


def scripted(refusal: Json) -> Refusal:
    """The refusal that the tests asked for."""
    return Refusal(grpc.StatusCode[refusal["code"]], refusal["details"])


def refuse(context: grpc.ServicerContext, refusal: Refusal) -> NoReturn:
    """Ends the call with a status, and with the state of the batch where that is the reason."""
    if refusal.batch_state is not None:
        context.set_trailing_metadata((("batch-state", refusal.batch_state),))
    context.abort(refusal.code, refusal.details)
    raise AssertionError("abort() raises")


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
    # Compression is on, because a client must be able to read compressed answers too.
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
