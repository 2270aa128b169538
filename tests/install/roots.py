"""A clean root: a minimal system of packages that apt can fetch, and commands in it."""
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

import namespaces


def lacking() -> str:
    """What keeps this machine from making one, or an empty text."""
    if os.getuid() != 0:
        return "only root may change the root"
    if not shutil.which("mmdebstrap"):
        return "mmdebstrap is not installed"
    if not namespaces.allowed():
        return "no mount namespace is allowed here"
    return ""


def sources() -> str:
    """Where apt of this system has its C library from, as lines of sources.list."""
    known = subprocess.run(["apt-cache", "policy", "libc6"], capture_output=True, text=True).stdout
    return "".join(f"deb {site} {suite} {part}\n" for site, suite, part in re.findall(r"^ +-?\d+ (\S+:\S+) (\S+)/(\S+) ", known, re.MULTILINE))


def make(root: Path, *packages: str) -> None:
    """SkipTest where apt's packages can't be had or make no system."""
    done = subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", f"--include={','.join(packages)}", "", root, "-"],
                          input=sources(), capture_output=True, text=True)
    if done.returncode != 0:
        raise unittest.SkipTest(f"mmdebstrap makes no clean root here: {(done.stderr.splitlines() or ['it says nothing'])[-1]}")
    shutil.copy("/etc/resolv.conf", root / "etc" / "resolv.conf")


def inside(root: Path) -> tuple[str, ...]:
    """Put before a command: it sees this root, and nothing of our environment."""
    mounts = "".join(f"mount --rbind /{folder} '{root}/{folder}' && " for folder in ("proc", "dev"))
    clean = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"]
    return ("unshare", "-m", "sh", "-c", mounts + 'exec "$@"', "sh", "chroot", str(root), *clean)
