"""A client of the Sync API: makes the calls that it is asked for and tells what it saw of their answers."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import grpc

from contract import Json, Method, load_methods, to_json, to_wire
from lines import answer_lines, say

TIMEOUT_SECONDS = 15


def main() -> None:
    """Serves the questions on the standard input with one channel."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--descriptors", type=Path, required=True)
    parser.add_argument("--target", required=True, help="host and port")
    parser.add_argument("--ca", type=Path, help="certificate to trust; plain text without it")
    arguments = parser.parse_args()
    methods = load_methods(arguments.descriptors)
    with open_channel(arguments.target, arguments.ca) as channel:
        say({"ready": True})
        answer_lines(partial(make_call, channel, methods))


def open_channel(target: str, ca: Path | None) -> grpc.Channel:
    """A channel that no proxy of the environment captures."""
    options = [("grpc.enable_http_proxy", 0)]
    if ca is None:
        return grpc.insecure_channel(target, options)
    return grpc.secure_channel(target, grpc.ssl_channel_credentials(ca.read_bytes()), options)


def make_call(channel: grpc.Channel, methods: dict[str, Method], question: Json) -> Json:
    """Makes the call `{call, requests, metadata, gzip}` and tells its status, its answer and its trailers."""
    method = methods[question["call"]]
    requests = [method.new_request(request) for request in question["requests"]]
    open_stub: Callable[..., Any] = channel.stream_unary if method.streams_requests else channel.unary_unary
    stub = open_stub(
        method.path,
        request_serializer=to_wire,
        response_deserializer=method.response.FromString,
    )
    try:
        response, call = stub.with_call(
            iter(requests) if method.streams_requests else requests[0],
            timeout=TIMEOUT_SECONDS,
            metadata=list(question.get("metadata", {}).items()),
            compression=grpc.Compression.Gzip if question.get("gzip", False) else None,
        )
        answer = to_json(response)
    except grpc.RpcError as error:
        call, answer = error, None
    return {
        "code": call.code().name,
        "details": call.details(),
        "trailers": dict(call.trailing_metadata() or ()),
        "answer": answer,
    }


if __name__ == "__main__":
    main()
