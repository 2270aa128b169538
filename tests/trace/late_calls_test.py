"""Compiled functions called where threads and processes end: after main, at exit, in thread_locals, in forked children."""
import os
import pathlib
import subprocess
import unittest

BUILD = pathlib.Path(os.environ["NUMJIT_BUILD_DIR"])
PROGRAM = BUILD / "bin" / "tests" / "programs" / "late_calls"
CALLS = ("{0}: [1. 3. 5. 7.] [-1.  2.  5.  8.] [0.   0.25 0.5  0.75] [1. 2. 3. 4.]\n"
         "{0}: IndexError\n{0}: FloatingPointError\n")


def calls(*places):
    return "".join(CALLS.format(p) for p in places)


class LateCalls(unittest.TestCase):
    def check(self, when, expected, status=3):
        for mode in ("sync", "async"):
            with self.subTest(when, compile=mode):
                ran = subprocess.run([PROGRAM, when], capture_output=True, text=True, timeout=100,
                                     env=dict(os.environ, NUMJIT_COMPILE=mode))
                self.assertEqual((ran.stdout, ran.returncode, ran.stderr), (expected, status, ""))

    def test_destructors_of_statics(self):
        self.check("static", calls("main", "static"))
        self.check("static_only", calls("static"))

    def test_exit_handlers(self):
        self.check("atexit", calls("main", "atexit"))
        self.check("atexit_only", calls("atexit"))
        self.check("atexit_first", calls("atexit"))
        self.check("quick_exit", calls("main", "at_quick_exit"), status=5)

    def test_destructors_of_thread_locals(self):
        self.check("thread_local", calls("thread", "thread_local", "thread_local"))
        self.check("thread_local_first", calls("thread", "thread_local", "main", "thread_local"))
        self.check("key", calls("thread", "key"))

    def test_a_thread_that_ends_during_a_call(self):
        self.check("thread_exit", "[2. 2. 2.] [4. 4.]\n")

    def test_forked_children(self):
        self.check("fork", calls("main", "child") + "child: 7\n" + calls("parent"))
        self.check("fork_from_thread", calls("main", "child") + "child: 7\n")
        self.check("fork_in_scope", "thread 0\nchild 3\nchild: 7\n")

    def test_scopes_that_outlast_their_thread(self):
        self.check("static_scopes", "threads 0\n")
        self.check("scopes_of_ended_threads", calls("thread") + "calls 4\n")


if __name__ == "__main__":
    unittest.main()
