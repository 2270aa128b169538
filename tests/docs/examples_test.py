"""Every program of docs/examples runs and prints what tests/docs/expected holds, times aside; pictures are looked at."""
# ctest: TIMEOUT 900
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
from PIL import Image

from harness import BUILD, ROOT, masked, run

EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.cpp"))
PHOTO = ROOT / "docs" / "examples" / "data" / "astronaut.jpg"
ARGUMENTS = {"photo_kmeans": [PHOTO, "--iterations", "12", "-o", "out.png"], "black_scholes": ["100000"]}


class Examples(unittest.TestCase):
    def test_output(self):
        self.assertGreaterEqual(len(EXAMPLES), 5)
        for example in EXAMPLES:
            with self.subTest(example=example.stem), tempfile.TemporaryDirectory() as folder:
                out = run([BUILD / "bin" / "examples" / example.stem, *ARGUMENTS.get(example.stem, [])], cwd=folder)
                expected = (Path(__file__).parent / "expected" / f"{example.stem}.txt").read_text()
                self.assertEqual(self.stable(out), self.stable(expected))
                if example.stem == "photo_kmeans":
                    self.check_pictures(Path(folder))

    @staticmethod
    def stable(text: str) -> str:
        """Masked, and without what depends on the machine: thread count, speed-up, path of the picture, explain's page."""
        lines = []
        for line in masked(text).splitlines():
            if line.startswith("step: "):
                break
            words = line.split()
            if words[:1] == ["threads"] or words[:1] == ["speed-up"]:
                line = words[0] + (" every bit the same" if "every bit the same" in line else "")
            if "astronaut.jpg:" in line:
                line = line[line.index("astronaut.jpg:"):]
            lines.append(line)
        return "\n".join(lines)

    def check_pictures(self, folder: Path):
        photo = np.asarray(Image.open(PHOTO).convert("RGB"), dtype=float)
        out = np.asarray(Image.open(folder / "out.png").convert("RGB"))
        palette = np.asarray(Image.open(folder / "out_palette.png").convert("RGB"))
        self.assertEqual(out.shape, (512, 512, 3))
        colours = np.unique(out.reshape(-1, 3), axis=0)
        self.assertEqual(len(colours), 16)
        self.assertEqual({tuple(c) for c in np.unique(palette.reshape(-1, 3), axis=0)}, {tuple(c) for c in colours})
        # Each pixel has the nearest colour of the palette (up to a palette rounded to bytes), so the picture is alike.
        distance = ((photo[:, :, None] - colours[None, None].astype(float)) ** 2).sum(-1)
        mine = ((photo - out) ** 2).sum(-1)
        self.assertLess(np.mean(mine > distance.min(-1) + 60), 1e-3)
        self.assertLess(np.sqrt(mine.mean()), 25)

    def test_npy(self):
        picture = (np.indices((300, 400)).sum(0)[..., None] * np.array([1, 2, 3]) % 256).astype(np.uint8)
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder) / "waves.npy", picture)
            program = [BUILD / "bin" / "examples" / "photo_kmeans", "waves.npy", "--k", "4", "--iterations", "3"]
            plain = run(program, cwd=folder)
            first = np.asarray(Image.open(Path(folder) / "waves_4_colours.png"))
            self.assertIn("every bit the same", plain)
            self.assertEqual(len(np.unique(first.reshape(-1, 3), axis=0)), 4)

    def test_bad_arguments(self):
        program = BUILD / "bin" / "examples" / "photo_kmeans"
        with tempfile.TemporaryDirectory() as folder:
            flat = Path(folder) / "flat.npy"
            np.save(flat, np.zeros(5))
            for arguments, text in [(["missing.png"], "missing.png"), ([str(flat)], "got (5,), expected (height, width, 3)"),
                                    (["--k", "0"], "--k")]:
                done = subprocess.run([program, *arguments], capture_output=True, text=True, cwd=folder)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(text, done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main()
