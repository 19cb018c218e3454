"""Makes clients of `/openapi.json` with the generators that integrators use, compiles them, and calls
a server with each.

Arguments: the program, and a folder in which the generators for TypeScript are installed.
"""

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from product import Server, Shop

SOURCES = Path(__file__).resolve().parent / "sdk"
EXAMPLE = Path(__file__).resolve().parents[2] / "examples/sdk/use.ts"
PACKAGE = "tostao_client"


def description(server):
    status, text = server.ask("GET", "/openapi.json")
    if status != 200:
        raise SystemExit(f"GET /openapi.json: {status}")
    return text


def typescript(folder, document, environment):
    """Types, the example that uses them, and a program that is wrong about them where it says so."""
    programs = folder / "node_modules/.bin"
    for source in (EXAMPLE, SOURCES / "types.ts", SOURCES / "tsconfig.json"):
        shutil.copy(source, folder)
    types = ["--output", "schema.d.ts"]
    subprocess.run([programs / "openapi-typescript", document, *types], cwd=folder, check=True)
    subprocess.run([programs / "tsc", "--project", "."], cwd=folder, check=True)
    subprocess.run(["node", folder / "built/use.js"], env=environment, check=True)


def python(folder, document, environment):
    """A package, made without a warning."""
    package = folder / "python" / PACKAGE
    package.parent.mkdir(exist_ok=True)
    generator = [sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning"]
    paths = ["--path", document, "--output-path", package, "--overwrite"]
    config = ["--config", SOURCES / "python.yml"]
    subprocess.run([*generator, *paths, *config, "--meta", "none"], check=True)
    if not compileall.compile_dir(package, quiet=1, force=True):
        raise SystemExit("the Python client does not compile")
    found = {**environment, "PYTHONPATH": str(package.parent)}
    subprocess.run([sys.executable, "-B", SOURCES / "call.py"], env=found, check=True)


def judge(program, folder):
    document = folder / "openapi.json"
    with tempfile.TemporaryDirectory() as data:
        server = Server(program, data)
        try:
            shop = Shop(server, 1, "Loja")
            document.write_text(description(server), encoding="utf-8")
            own = {"TOSTAO_SERVER": server.base, "TOSTAO_API_KEY": shop.key}
            environment = {**os.environ, **own}
            typescript(folder, document, environment)
            python(folder, document, environment)
        finally:
            server.stop()


if __name__ == "__main__":
    began = time.monotonic()
    judge(sys.argv[1], Path(sys.argv[2]).resolve())
    print(f"sdk: {time.monotonic() - began:.0f} s", flush=True)
