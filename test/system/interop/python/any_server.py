"""A server of any contract: tells what it decoded, and answers each method with one message."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from contract import Json, Method, Received, load_methods, to_wire
from lines import answer_lines, say


class AnyService:
    """The methods of a service, whatever they are."""

    def __init__(self, methods: dict[str, Method], answers: dict[str, Json]) -> None:
        """Answers each method with the message that protobuf's JSON describes."""
        self._methods = methods
        self._answers = answers
        self._received: list[Json] = []

    def handlers(self, service: str) -> grpc.GenericRpcHandler:
        """What a gRPC server serves."""
        handlers = {name: self._handler(name) for name in self._methods}
        return grpc.method_handlers_generic_handler(service, handlers)

    def answer(self, _question: Json) -> Json:
        """Tells what came since the last question."""
        received, self._received = self._received, []
        return {"received": received}

    def _handler(self, name: str) -> grpc.RpcMethodHandler:
        method = self._methods[name]

        def handle(request: Received | Iterator[Received], _context: grpc.ServicerContext) -> Message:
            for one in [request] if isinstance(request, Received) else request:
                message = MessageToDict(one.message, preserving_proto_field_name=True)
                self._received.append({"method": name, "message": message})
            return method.new_response(self._answers.get(name, {}))

        open_handler = (
            grpc.stream_unary_rpc_method_handler
            if method.streams_requests
            else grpc.unary_unary_rpc_method_handler
        )
        return open_handler(handle, request_deserializer=method.read_request, response_serializer=to_wire)


def main() -> None:
    """Serves on a free port of the loopback interface until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--descriptors", type=Path, required=True)
    parser.add_argument("--service", required=True)
    parser.add_argument("--answers", type=json.loads, required=True)
    arguments = parser.parse_args()
    service = AnyService(load_methods(arguments.descriptors, arguments.service), arguments.answers)
    server = grpc.server(ThreadPoolExecutor(4), options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((service.handlers(arguments.service),))
    endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    say({"endpoint": endpoint})
    answer_lines(service.answer)
    server.stop(grace=None)


if __name__ == "__main__":
    main()
