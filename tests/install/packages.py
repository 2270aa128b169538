"""Installs each package of ./dev package where nothing of ours is, and runs a program with it: packages.py FOLDER.

Wheels go into fresh environments, with no compiler and no linker in the PATH; Debian packages and the tar into a root made of
packages that apt fetches; the tarball into an empty npm project.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import consumers
import namespaces
import roots
from commands import check_sdist, compute, environment, run, tracked

SOURCE = Path(os.environ["NUMJIT_SOURCE_DIR"])
PACKAGES = Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / ".dev" / "package"))
from wheels import place, pythons  # noqa: E402

LARGEST_WHEEL = 25_000_000
hidden = namespaces.hiding(SOURCE) if namespaces.allowed() else ()


class Python(unittest.TestCase):
    def check_wheel(self, wheel: Path, python: Path) -> None:
        self.assertIn("-manylinux_", wheel.name)
        self.assertLessEqual(wheel.stat().st_size, LARGEST_WHEEL, wheel.name)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            user = environment(folder / "user", base=python)
            begin = time.monotonic()
            run(user, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel)
            installed = time.monotonic()
            loaded = compute(user, folder, hidden, PATH=str(user.parent))
            print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, installed in {installed - begin:.0f} s, "
                  f"its first compiled result after {time.monotonic() - installed:.1f} s", flush=True)
            licences = {file.name for file in folder.glob("user/lib/*/site-packages/numjit-*.dist-info/licenses/*")}
            self.assertLessEqual({"LICENSE", "libopenblas0-pthread", "libfmt9"}, licences)
            # What the environment brings is what is loaded, though this system has it as well.
            for library in ("libnumjit", "libHalide", "libopenblas", "libfmt", "libzip"):
                places = [path for path in loaded if Path(path).name.startswith(library)]
                self.assertTrue(places, library)
                self.assertTrue(all(path.startswith(str(folder)) for path in places), places)

    def test_wheels(self):
        self.assertTrue(pythons())
        for version, python in pythons().items():
            with self.subTest(version):
                (wheel,) = place(PACKAGES, version).glob(f"numjit-*-cp{version.replace('.', '')}-*.whl")
                self.check_wheel(wheel, python)

    def test_source_distribution(self):
        (archive,) = (path for path in PACKAGES.iterdir() if re.fullmatch(r"numjit-[\d.]+\.tar\.gz", path.name))
        check_sdist(archive, tracked(SOURCE))


@unittest.skipIf(roots.lacking(), roots.lacking())
class Cxx(unittest.TestCase):
    """In the order of names: the tar first, as Debian's packages bring the libraries that it must do without."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name) / "root"
        roots.make(cls.root, "g++", "cmake", "make", "pkg-config")
        shutil.copytree(consumers.PROJECT, cls.root / "consumer")
        cls.inside = roots.inside(cls.root)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check(self, prefix: str, work: str) -> None:
        consumers.build_and_run(Path(prefix), Path(work), Path("/consumer"), inside=self.inside)
        said = run(*self.inside, f"{prefix}/bin/numjit", "doctor")
        self.assertRegex(said, r"(?m)^ok +kernel +x \+ y compiled")

    def test_1_tar(self):
        (archive,) = PACKAGES.glob("numjit-*-Linux-*.tar.gz")
        folder = self.root / "opt" / "anywhere"
        folder.mkdir()
        run("tar", "-xf", archive, "--no-same-owner", "--strip-components=1", "-C", folder)
        self.check("/opt/anywhere", "/built_with_tar")
        self.assertTrue((folder / "share" / "doc" / "numjit" / "licences" / "libfmt9").exists())
        shutil.rmtree(folder)

    def test_2_debian_packages(self):
        debs = list(PACKAGES.glob("*.deb"))
        names = {deb.name.partition("_")[0] for deb in debs}
        self.assertLessEqual({"libnumjit", "libnumjit-dev", "numjit"}, names)
        for deb in debs:
            shutil.copy(deb, self.root)
        run(*self.inside, "apt-get", "-q", "update")
        run(*self.inside, "apt-get", "-q", "install", "-y", "--no-install-recommends", *(f"/{deb.name}" for deb in debs))
        self.check("/usr", "/built_with_debs")
        run(*self.inside, "apt-get", "-q", "remove", "-y", *names)
        left = [path for path in (self.root / "usr").rglob("*numjit*") if path.is_file()]
        self.assertEqual(left, [])


class JavaScript(unittest.TestCase):
    def test_tarball(self):
        tarballs = list(PACKAGES.glob("numjit-*.tgz"))
        if not tarballs:
            self.skipTest("no tarball was made: ./dev build wasm makes what it is packed from")
        done = subprocess.run(["node", "--test", SOURCE / "tests" / "wasm" / "install_test.mjs"], capture_output=True, text=True,
                              env={**os.environ, "NUMJIT_PACKAGE": str(tarballs[0])})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
