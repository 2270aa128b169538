"""Compiled functions and scopes while Python ends: exit handlers, __del__ at shutdown, daemon threads, forked children."""
import os
import subprocess
import sys
import textwrap
import unittest

START = """
import atexit, os, sys, threading, time
import numjit as np
f = np.compile(lambda x: x * 2 + 1)
r = np.compile(lambda x: x * 3, mode="replay")
b = np.compile(lambda x: x + 1 if float(x.sum()) > 0 else x)
def call(name):
    x = np.arange(3.0)
    print(name, f(x).tolist(), r(x).tolist(), b(x).tolist(), flush=True)
"""
VALUES = "[1.0, 3.0, 5.0] [0.0, 3.0, 6.0] [1.0, 2.0, 3.0]"


class Finalisation(unittest.TestCase):
    def check(self, program, *expected, status=0):
        for mode in ("sync", "async"):
            with self.subTest(compile=mode):
                ran = subprocess.run([sys.executable, "-X", "faulthandler", "-c", START + textwrap.dedent(program)], capture_output=True,
                                     text=True, timeout=100, env=dict(os.environ, NUMJIT_COMPILE=mode))
                self.assertEqual((ran.stdout.splitlines(), ran.returncode, ran.stderr), (list(expected), status, ""))

    def test_exit_handlers(self):
        self.check("""
            atexit.register(call, "exit")
            call("main")
        """, f"main {VALUES}", f"exit {VALUES}")
        self.check("""
            atexit.register(call, "exit")
        """, f"exit {VALUES}")

    def test_objects_that_die_at_shutdown(self):
        self.check("""
            class Last:
                def __init__(self, name): self.name, self.call = name, call
                def __del__(self): self.call(self.name)
            call("main")
            last = Last("module")
            cycle = Last("cycle")
            cycle.itself = cycle
        """, f"main {VALUES}", f"module {VALUES}", f"cycle {VALUES}")

    def test_an_object_of_another_module(self):
        self.check("""
            class Last:
                def __del__(self, f=f, x=np.ones(2), print=print): print("late", f(x).tolist(), flush=True)
            os.kept = Last()
        """, "late [3.0, 3.0]")

    def test_a_thread_that_goes_on_after_main(self):
        self.check("""
            def work():
                threading.main_thread().join()
                call("thread")
            threading.Thread(target=work).start()
        """, f"thread {VALUES}")

    def test_daemon_threads(self):
        self.check("""
            def work():
                while True:
                    with np.errstate(divide="ignore"), np.config_scope(threads=1):
                        f(np.ones(40000)), r(np.ones(5)), b(np.ones(4))
            for _ in range(3):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.3)
            call("main")
        """, f"main {VALUES}")

    def test_scopes_that_never_end(self):
        self.check("""
            kept = [np.config_scope(threads=1), np.errstate(divide="raise"), np.budget(max_breaks=50), np.profiler(), np.disable_scope(),
                    np.printoptions(precision=3), np.stance_scope("default"), np.error_on_graph_break(False)]
            for scope in kept: scope.__enter__()
            def g():
                with np.errstate(over="raise"), np.profiler():
                    yield
            generator = g()
            next(generator)
            os.kept = g()
            next(os.kept)
            threads = [threading.Thread(target=np.stance_scope("run_only").__enter__)]
            threads[0].start()
            atexit.register(call, "exit")
            call("main")
        """, f"main {VALUES}", f"exit {VALUES}")

    def test_an_object_of_a_thread(self):
        self.check("""
            class Last:
                def __del__(self): call("local")
            local = threading.local()
            def work():
                local.last = Last()
                call("thread")
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
            local.last = Last()
            del local
        """, f"thread {VALUES}", f"local {VALUES}", f"local {VALUES}")

    def test_forked_children(self):
        self.check("""
            call("main")
            with np.config_scope(threads=1):
                child = os.fork()
                if child == 0:
                    call("child")
                    atexit.register(call, "exit of child")
                    sys.exit(4)
                _, status = os.waitpid(child, 0)
            call(os.waitstatus_to_exitcode(status))
        """, f"main {VALUES}", f"child {VALUES}", f"exit of child {VALUES}", f"4 {VALUES}")

    def test_exit_from_inside(self):
        self.check("""
            def body(x):
                x += 1
                sys.exit(5)
            x = np.ones(2)
            atexit.register(lambda: print(x.tolist()))
            np.compile(body)(x)
        """, "[2.0, 2.0]", status=5)

    def test_a_thread_that_ends_in_a_call(self):
        self.check("""
            def body(x):
                x += 1
                raise SystemExit
            x = np.ones(2)
            thread = threading.Thread(target=np.compile(body), args=(x,))
            thread.start()
            thread.join()
            call(x.tolist())
        """, f"[2.0, 2.0] {VALUES}")


if __name__ == "__main__":
    unittest.main()
