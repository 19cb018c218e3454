"""How a script reports its checks: a line for each, and `end` after the last one."""


def check(name, run):
    """Runs a check; what it lacks is a reason to fail, whatever the kind of error."""
    try:
        run()
        print(f"ok {name}", flush=True)
    except Exception as error:  # noqa: BLE001
        reason = f"{type(error).__name__} {error}".replace("\n", " ")
        print(f"FAILED {name} | {reason}", flush=True)


def end():
    print("end", flush=True)
