"""Holds that a program does not compile, and that the compiler says what its first line expects.

    compile_fail.py FILE COMPILER [FLAGS...]        FILE begins with: // EXPECT: regex
                                                    and may go on with: // FLAGS: -std=c++17
"""
import re
import subprocess
import sys


def main() -> int:
    source, command = sys.argv[1], sys.argv[2:]
    with open(source, encoding="utf-8") as f:
        expect = re.match(r"// EXPECT: (.+)$", f.readline().rstrip("\n"))
        flags = re.match(r"// FLAGS: (.+)$", f.readline().rstrip("\n"))
    if not expect:
        print(f"{source}: the first line must read `// EXPECT: regex`")
        return 1
    done = subprocess.run(command + (flags.group(1).split() if flags else []) + ["-fsyntax-only", source], capture_output=True, text=True)
    if done.returncode == 0:
        print(f"{source}: compiled, but should not")
        return 1
    if not re.search(expect.group(1), done.stderr):
        print(f"{source}: failed to compile, but without the text /{expect.group(1)}/:\n{done.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
