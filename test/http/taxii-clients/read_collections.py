"""Reads a TAXII server as its users do, with taxii2-client, and prints what it found as JSON.

    read_collections.py DISCOVERY

What must hold on every server is checked here and told under `problems`, with how often each check was
made; what the server should hold is for the caller to judge. Its data must not change meanwhile.
"""

import datetime
import json
import logging
import sys
from collections import Counter

import requests
from taxii2client.exceptions import AccessError
from taxii2client.v21 import Collection, Server, as_pages

UNKNOWN_ID = "indicator--00000000-0000-4000-8000-000000000000"
# Whole collections are read in pages of these sizes; 0 leaves it to the server.
PAGE_SIZES = [0, 999, 1000, 5000]
SMALL_PAGE = 7


class Notes(logging.Handler):
    """What has been checked how often, what did not hold, and what the client complained of."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.checks = Counter()
        self.problems = []
        self.complaints = []

    def check(self, name, holds, detail):
        self.checks[name] += 1
        if not holds and len(self.problems) < 20:
            self.problems.append(f"{name}: {detail}"[:500])

    def emit(self, record):
        self.complaints.append(record.getMessage())


def version_of(item):
    return item.get("modified", item.get("created"))


def difference(found, expected):
    """Says in what two lists of ids differ."""
    first = next((n for n, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]), None)
    return f"{len(found)} for {len(expected)}, the first that differs is number {first}"


class Reader:
    """Checks one collection."""

    def __init__(self, notes, title, collection):
        self.notes = notes
        self.title = title
        self.collection = collection
        self.objects = []

    def check(self, name, holds, detail=""):
        self.notes.check(name, holds, f"{self.title}: {detail}")

    def same(self, name, found, expected):
        """Checks that these are the expected objects, in their order and to the letter."""
        ids = [item["id"] for item in found]
        wanted = [item["id"] for item in expected]
        self.check(name, found == expected, difference(ids, wanted))

    def pages(self, read, size, most, **filters):
        """Reads to the last page, or until there have been more pages than there can be."""
        self.notes.complaints.clear()
        items, count = [], 0
        for page in as_pages(read, per_request=size, **filters):
            found = page.get("objects", [])
            items += found
            count += 1
            self.check("no empty list", page.get("objects") != [], f"page {count}")
            self.check("more and next", page.get("more", False) == ("next" in page), f"page {count}")
            self.check("full pages", size in (0, len(found)) or not page.get("more"), f"page {count}")
            if count > most:
                self.check("termination", False, f"{filters} does not end")
                break
        else:
            self.check("termination", True)
        # Of pages whose size the server chose, the client tells the size.
        self.check("quiet client", size == 0 or not self.notes.complaints, self.notes.complaints)
        return items, count

    def read_whole(self):
        self.objects, count = self.pages(self.collection.get_objects, 10_000, 10)
        pages = {"10000": count}
        ids = [item["id"] for item in self.objects]
        self.check("each id once", len(set(ids)) == len(ids), "an id comes more than once")
        for size in [*PAGE_SIZES, len(ids)]:
            most = len(ids) // (size or 1000) + 1
            found, count = self.pages(self.collection.get_objects, size, most)
            pages["all" if size == len(ids) else str(size)] = count
            self.same(f"pages of {'all' if size == len(ids) else size}", found, self.objects)
        return pages

    def read_types(self):
        """Reads the small types by themselves, a few objects at a time."""
        counts = Counter(item["type"] for item in self.objects)
        for kind, count in counts.items():
            wanted = [item for item in self.objects if item["type"] == kind]
            size = SMALL_PAGE if count <= 500 else 1000
            found, _ = self.pages(self.collection.get_objects, size, count // size + 1, type=kind)
            self.same("filter by type", found, wanted)
        rare = [kind for kind, count in counts.items() if count <= 500]
        found, _ = self.pages(self.collection.get_objects, SMALL_PAGE, 100, type=rare)
        self.same("filter by types", found, [item for item in self.objects if item["type"] in rare])
        return dict(counts)

    def read_manifest(self):
        read = self.collection.get_manifest
        for size in (1000, 10_000):
            entries, _ = self.pages(read, size, len(self.objects) // size + 1)
            ids = [(entry["id"], entry["version"]) for entry in entries]
            wanted = [(item["id"], version_of(item)) for item in self.objects]
            self.check("manifest", ids == wanted, difference(ids, wanted))
        dates = [entry["date_added"] for entry in entries]
        self.check("dates", dates == sorted(set(dates)), "they do not ascend")
        return dates

    def read_single(self):
        """Reads the first and the last object of each type by itself."""
        for item in self.samples():
            name = item["id"]
            found = self.collection.get_object(name)
            self.check("get object", found.get("objects") == [item], name)
            versions = self.collection.object_versions(name)
            self.check("versions", versions.get("versions") == [version_of(item)], name)
            self.check("only version", versions.get("more", False) is False, name)
            old = self.collection.get_object(name, version="2001-01-01T00:00:00.000Z")
            self.check("no such version", "objects" not in old, name)

    def samples(self):
        """Returns the first and the last object of each type."""
        firsts, lasts = {}, {}
        for item in self.objects:
            firsts.setdefault(item["type"], item)
            lasts[item["type"]] = item
        chosen = {item["id"] for item in [*firsts.values(), *lasts.values()]}
        return [item for item in self.objects if item["id"] in chosen]

    def found(self, **filters):
        return self.collection.get_objects(limit=10_000, **filters).get("objects", [])

    def read_filtered(self, dates):
        chosen = self.samples()
        self.same("filter by ids", self.found(id=[item["id"] for item in reversed(chosen)]), chosen)
        self.same("filter by unknown id", self.found(id=UNKNOWN_ID), [])
        self.same("filter by unknown type", self.found(type="x-nonsense"), [])
        self.same("filter by spec_version", self.found(spec_version="2.0"), [])
        self.same("filter by spec_version", self.found(spec_version=["2.0", "2.1"]), self.objects)
        for word in ("last", "first", "all"):
            self.same("filter by version word", self.found(version=word), self.objects)
        for item in chosen:
            version = version_of(item)
            of_version = [other for other in self.objects if version_of(other) == version]
            self.same("filter by version", self.found(version=version), of_version)
            kind = item["type"]
            of_both = [other for other in of_version if other["type"] == kind]
            self.same("filter by both", self.found(version=version, type=kind), of_both)
        for place in (0, 1, len(dates) // 2, len(dates) - 2, len(dates) - 1):
            rest = self.objects[place + 1 :]
            self.same("added_after", self.found(added_after=dates[place]), rest)
            instant = datetime.datetime.strptime(dates[place], "%Y-%m-%dT%H:%M:%S.%fZ")
            paged, _ = self.pages(self.collection.get_objects, 1000, 100, added_after=instant)
            self.same("added_after in pages", paged, rest)

    def read_refused(self):
        """Asks for what there is not, and for what the client refuses before it sends anything."""
        for ask in (self.collection.get_object, self.collection.object_versions):
            self.check("unknown object", status_of(lambda: ask(UNKNOWN_ID)) == 404, UNKNOWN_ID)
        answers = []
        hooks = self.collection._conn.session.hooks["response"]
        hooks.append(lambda response, *_args, **_kwargs: answers.append(response))
        for ask in (
            lambda: self.collection.add_objects({"objects": [self.objects[0]]}),
            lambda: self.collection.delete_object(self.objects[0]["id"]),
        ):
            try:
                ask()
                self.check("writing", False, "it is allowed")
            except AccessError:
                self.check("writing", not answers, "something was sent")
        hooks.clear()


def status_of(ask):
    """Returns the status with which a request fails, or None."""
    try:
        ask()
    except requests.HTTPError as error:
        return error.response.status_code
    return None


def described(collection):
    return {
        "id": collection.id,
        "alias": collection.alias,
        "title": collection.title,
        "canRead": collection.can_read,
        "canWrite": collection.can_write,
        "mediaTypes": collection.media_types,
    }


def read_collection(notes, collection):
    reader = Reader(notes, collection.title, collection)
    pages = reader.read_whole()
    counts = reader.read_types()
    reader.read_filtered(reader.read_manifest())
    reader.read_single()
    reader.read_refused()
    # Asked for by itself, and where the address has no slash at its end.
    alone = Collection(collection.url.rstrip("/"))
    notes.check("collection alone", described(alone) == described(collection), collection.url)
    if collection.alias is not None:
        named = Collection(f"{collection.url.removesuffix(f'{collection.id}/')}{collection.alias}/")
        notes.check("alias", named.id == collection.alias, named.url)
        notes.check("alias", named.title == collection.title, named.url)
        found = named.get_objects(limit=SMALL_PAGE)["objects"]
        reader.same("alias", found, reader.objects[:SMALL_PAGE])
    return {**described(collection), "counts": counts, "pages": pages}


def read_server(discovery):
    notes = Notes()
    logging.getLogger("taxii2client").handlers = [notes]
    server = Server(discovery)
    root = server.default
    collections = [read_collection(notes, collection) for collection in root.collections]
    status = status_of(lambda: root.get_status("2d086da7-4bdc-4f91-900e-d77486753710"))
    notes.check("unknown status", status == 404, status)
    nowhere = Collection(f"{root.url}collections/nowhere/")
    notes.check("unknown collection", status_of(nowhere.refresh) == 404, nowhere.url)
    return {
        "title": server.title,
        "contact": server.contact,
        "roots": [each.url for each in server.api_roots],
        "default": root.url,
        "rootTitle": root.title,
        "versions": root.versions,
        "maxContentLength": root.max_content_length,
        "collections": collections,
        "checks": dict(notes.checks),
        "problems": notes.problems,
    }


print(json.dumps(read_server(sys.argv[1])))
