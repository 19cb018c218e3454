"""Makes clients of `/openapi.json` with the generators that integrators use, and compiles them.

Arguments: the program, and a folder in which the generators for TypeScript are installed.
"""

import compileall
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from product import Server

SOURCES = Path(__file__).resolve().parent / "clients"


def description(program):
    """Answers the description that a server of its own gives."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, folder)
        try:
            status, text = server.ask("GET", "/openapi.json")
        finally:
            server.stop()
    if status != 200:
        raise SystemExit(f"GET /openapi.json: {status}")
    return text


def typescript(folder, document):
    """Types, and a program that is right and wrong about them where it says so."""
    programs = folder / "node_modules/.bin"
    for source in ("shop.ts", "tsconfig.json"):
        shutil.copy(SOURCES / source, folder)
    types = ["--output", "schema.d.ts"]
    subprocess.run([programs / "openapi-typescript", document, *types], cwd=folder, check=True)
    subprocess.run([programs / "tsc", "--project", "."], cwd=folder, check=True)


def python(folder, document):
    """A package, made without a warning."""
    package = folder / "python"
    generator = [sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning"]
    paths = ["--path", document, "--output-path", package, "--overwrite"]
    config = ["--config", SOURCES / "python.yml"]
    subprocess.run([*generator, *paths, *config], check=True)
    if not compileall.compile_dir(package, quiet=1, force=True):
        raise SystemExit("the Python client does not compile")


def judge(program, folder):
    document = folder / "openapi.json"
    document.write_text(description(program), encoding="utf-8")
    typescript(folder, document)
    python(folder, document)


if __name__ == "__main__":
    began = time.monotonic()
    judge(sys.argv[1], Path(sys.argv[2]).resolve())
    print(f"clients: {time.monotonic() - began:.0f} s", flush=True)
