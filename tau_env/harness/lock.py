"""One writer a file: a lock that dies with its process, and says who holds it.

The lock is the operating system's (``flock``), on a file beside the store; ``kill -9`` frees it.
"""

from __future__ import annotations

import fcntl
import os
import socket
from pathlib import Path

from tau_env.errors import Locked, UserMistake


class Lock:
    """Held from construction to `release`; POSIX systems only."""

    def __init__(self, path: Path) -> None:
        """Take the lock of a file.

        Args:
            path: the file to be written; the lock is the file ``<path>.lock``.

        Raises:
            Locked: another process, or another store in this one, has it.
            UserMistake: the folder cannot be written.
        """
        self.path = Path(f"{path}.lock")
        while True:
            self._descriptor = self._open()
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(self._descriptor, 200, 0).decode("utf-8", "replace").strip()
                os.close(self._descriptor)
                raise Locked(
                    f"{path} is being written by {holder or 'another process'}; wait until it "
                    "ends, or stop it: finished trials are kept"
                ) from None
            if self._still_there():
                break
            os.close(self._descriptor)
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)

    def _open(self) -> int:
        try:
            return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise UserMistake(
                f"cannot write beside {self.path.with_suffix('')}: {error.strerror}; choose a "
                "folder that can be written, or copy the file there"
            ) from None

    def _still_there(self) -> bool:
        # The holder before us may have removed the file between our open and our lock.
        try:
            return os.fstat(self._descriptor).st_ino == self.path.stat().st_ino
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Give the lock back and remove its file."""
        self.path.unlink(missing_ok=True)
        os.close(self._descriptor)
