"""Finds what exists in a shop, by the names of parameters and fields alone.

New kinds of things need no line here: `planId` is looked for in the list that ends in `/plans`.
"""

import json
import re

# Words of the contract that stand for things of a list with another name.
LISTS = {"customer": "clients"}


class Existing:
    """What a merchant has, asked of the server each time, for it changes all the time."""

    def __init__(self, remote, token, values, spared):
        self.remote = remote
        self.token = token
        self.values = values
        self.spared = spared
        paths = json.loads(remote.ask("GET", "/openapi.json")[1])["paths"]
        self.lists = [path for path in paths if "get" in paths[path] and "{" not in path]

    def named(self, name, path):
        """The values that exist for a name in an operation's path or among what it takes."""
        for key in (f"{path} {name}", name):
            if key in self.values:
                known = self.values[key]
                return [known()] if callable(known) else known
        if name == "cursor" and path in self.lists:
            return [self.read(f"{path}?limit=1").get("pagination", {}).get("nextCursor") or ""]
        where = self.list_of(name, path)
        return self.ids(where, name) if where else []

    def list_of(self, name, path):
        """The list that stands before a parameter in the path, or the one a name speaks of."""
        before, _, named = path.partition(f"/{{{name}}}")
        if before in self.lists and before != path:
            return before
        kind, is_id, _ = name.partition("Id")
        words = re.sub("([A-Z])", r"-\1", kind).lower()
        plural = "/" + LISTS.get(words, f"{words}s")
        return next((path for path in self.lists if is_id and path.endswith(plural)), None)

    def ids(self, where, name="id"):
        """What identifies the items of a list: what has the name itself, or else the `id`."""
        answer = self.read(f"{where}?limit=100").values()
        items = next((value for value in answer if isinstance(value, list)), [])
        found = [item.get(name, item.get("id")) for item in items]
        return [one for one in found if one and one not in self.spared]

    def read(self, path):
        status, text = self.remote.ask("GET", path, bearer=self.token)
        return json.loads(text) if status == 200 else {}
