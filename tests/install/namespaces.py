"""Commands that run where folders are hidden, or other folders stand in their places: in mount namespaces of their own."""
import functools
import subprocess
from pathlib import Path

SKIPPED = 77  # "# ctest: SKIP_RETURN_CODE 77"


@functools.cache
def _unshare() -> tuple[str, ...] | None:
    """How this user makes a mount namespace; None: the system does not allow it."""
    for way in (("unshare", "-m"), ("unshare", "-r", "-m")):
        try:
            if subprocess.run([*way, "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True).returncode == 0:
                return way
        except OSError:
            return None
    return None


def allowed() -> bool:
    return _unshare() is not None


def hiding(*folders: Path) -> list[str]:
    """Put before a command: it sees these folders empty."""
    mounts = "".join(f"mkdir -p '{folder}' && mount -t tmpfs none '{folder}' && " for folder in folders)
    return [*_unshare(), "sh", "-c", mounts + 'exec "$@"', "sh"]


def in_place_of(standing: dict[Path, Path], folder: Path) -> list[str]:
    """Put before a command: it sees each value of `standing` where the key is, and starts in `folder`."""
    mounts = "".join(f"mkdir -p '{place}' && mount --bind '{shown}' '{place}' && " for place, shown in standing.items())
    return [*_unshare(), "sh", "-c", mounts + f"cd '{folder}' && " + 'exec "$@"', "sh"]
