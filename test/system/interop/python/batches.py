"""What a Sync API keeps in memory: installations, their locks, their batches and their snapshots."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import grpc

from contract import Json

EVENTS = {"usage", "externally_discovered_usage", "audit_logs", "ai_usage", "ai_cost"}

INSTALLATION = "installation-1"
INSTALLATION_OF_OTHERS = "installation-of-others"


class Refusal(Exception):
    """A call that is refused, with its status."""

    def __init__(self, code: grpc.StatusCode, details: str, batch_state: str | None = None) -> None:
        """Refuses with a status, and with the state of a batch where that is the reason."""
        super().__init__(details)
        self.code = code
        self.details = details
        self.batch_state = batch_state


@dataclass
class Batch:
    """A batch, and what it was sent: ids of snapshot collections, numbers of events."""

    id: str
    state: str = "active"
    ids: dict[str, set[str]] = field(default_factory=dict)
    events: Counter[str] = field(default_factory=Counter)


class Batches:
    """The batches of one installation."""

    def __init__(self) -> None:
        """Begins without a batch and without a snapshot."""
        self._batches: dict[str, Batch] = {}
        self._completed: dict[str, set[str]] = {}

    def start(self, installation_id: str) -> str:
        """Takes the lock and returns the id of a new batch."""
        if installation_id == INSTALLATION_OF_OTHERS:
            raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "the installation belongs to another workspace")
        if installation_id != INSTALLATION:
            raise Refusal(grpc.StatusCode.NOT_FOUND, "there is no such installation")
        if any(batch.state == "active" for batch in self._batches.values()):
            raise Refusal(grpc.StatusCode.ALREADY_EXISTS, "another batch holds the lock")
        batch = Batch(f"batch-{len(self._batches) + 1}")
        self._batches[batch.id] = batch
        return batch.id

    def accept(self, batch_id: str, collection: str, ids: list[str]) -> None:
        """Adds the records of one message, known by their ids."""
        batch = self._active(batch_id)
        if collection in EVENTS:
            batch.events[collection] += len(ids)
        else:
            batch.ids.setdefault(collection, set()).update(ids)

    def complete(self, batch_id: str) -> Json:
        """Reconciles the snapshots and frees the lock."""
        batch = self._active(batch_id)
        batch.state = "completed"
        snapshots = [self._reconcile(collection, ids) for collection, ids in batch.ids.items()]
        events = [{"collection": name, "accepted": number} for name, number in batch.events.items()]
        return {"snapshots": snapshots, "events": events}

    def abort(self, batch_id: str) -> None:
        """Frees the lock."""
        self._active(batch_id).state = "aborted"

    def _reconcile(self, collection: str, ids: set[str]) -> Json:
        known = self._completed.get(collection, set())
        self._completed[collection] = ids
        return {
            "collection": collection,
            "added": len(ids - known),
            "updated": len(ids & known),
            "removed": len(known - ids),
        }

    def _active(self, batch_id: str) -> Batch:
        batch = self._batches.get(batch_id)
        if batch is None:
            raise Refusal(grpc.StatusCode.NOT_FOUND, "there is no such batch")
        if batch.state != "active":
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, f"the batch is {batch.state}", batch.state)
        return batch
