"""Validates what a weir exports with stix2-validator and stix2-patterns, and prints the findings as JSON.

    validate_bundles.py ADDRESS PART...

Parts: `export` is all of the STIX export, `campaigns` all objects of that collection, `ended` what any
collection says of what has ended, `spoiled` a copy of a few objects with faults that have to be found.
"""

import json
import sys
import uuid
from collections import Counter

import requests
from stix2patterns.exceptions import ParseException
from stix2patterns.validator import validate as parse_pattern
from stix2validator import ValidationOptions, validate_string
from taxii2client.v21 import Server, as_pages

END_PROPERTIES = {"valid_until", "stop_time", "last_seen", "revoked"}
TOLD = 10


def options():
    """Returns new options: whatever can be checked is, but for ids being random ones."""
    return ValidationOptions(
        version="2.1",
        disabled=["uuid-check"],
        strict_types=True,
        strict_properties=True,
        enforce_refs=True,
        silent=True,
    )


def bundle_text(objects):
    return json.dumps({"type": "bundle", "id": f"bundle--{uuid.uuid4()}", "objects": objects})


def objects_of(root, title):
    collection = next(each for each in root.collections if each.title == title)
    pages = as_pages(collection.get_objects, per_request=10_000)
    return [item for page in pages for item in page.get("objects", [])]


def export_text(address):
    answer = requests.get(f"{address}/api/v1/export/stix", params={"limit": 10_000}, timeout=60)
    answer.raise_for_status()
    return answer.content.decode("utf-8")


def references_of(item):
    for name, value in item.items():
        if name.endswith("_ref"):
            yield value
        elif name.endswith("_refs"):
            yield from value


def ended_objects(root):
    """Returns what has ended, with all that it refers to."""
    known = {item["id"]: item for each in root.collections for item in objects_of(root, each.title)}
    chosen = {}
    waiting = [name for name, item in known.items() if END_PROPERTIES & item.keys()]
    while waiting:
        name = waiting.pop()
        # What is referred to and not there is left for the validator to find.
        if name in chosen or name not in known:
            continue
        chosen[name] = known[name]
        waiting += references_of(known[name])
    return list(chosen.values())


def spoiled_objects(root):
    """Returns a few objects, each with one fault of its own."""
    objects = objects_of(root, "campaigns")

    def spoil(kind, **faults):
        item = next(item for item in objects[2:] if item["type"] == kind)
        objects.remove(item)
        return {**item, **faults}

    return [
        *objects[:2],
        spoil("indicator", pattern="[rumour:value = 'x']"),
        spoil("indicator", modified="2001-01-01T00:00:00.000Z"),
        spoil("indicator", valid_until="2001-01-01T00:00:00.000Z"),
        spoil("identity", weather="fine"),
        spoil("malware", malware_types=["rumour"]),
        spoil("relationship", relationship_type="resembles"),
    ]


def findings(text):
    """Returns the errors and the warnings of the validator."""
    try:
        result = validate_string(text, options())
    except ParseException as error:
        # Of a pattern that it cannot read, the validator dies.
        return [f"not validated: {error}"], []
    errors = [str(error) for error in result.errors]
    if not errors and not result.is_valid:
        errors.append("it is not valid")
    return errors, [str(warning) for warning in result.warnings]


def validated(text):
    objects = json.loads(text)["objects"]
    errors, warnings = findings(text)
    patterns = [item["pattern"] for item in objects if item["type"] == "indicator"]
    parsed = [(pattern, *parse_pattern(pattern, "2.1", True)) for pattern in patterns]
    faulty = [f"{pattern}: {errors}" for pattern, passed, errors in parsed if not passed]
    return {
        "errors": errors[:TOLD],
        "warnings": warnings[:TOLD],
        "patterns": len(patterns),
        "faultyPatterns": faulty[:TOLD],
        "counts": dict(Counter(item["type"] for item in objects)),
        "ended": dict(Counter(name for item in objects for name in END_PROPERTIES & item.keys())),
    }


def text_of(address, part):
    if part == "export":
        return export_text(address)
    root = Server(f"{address}/taxii2/").default
    if part == "campaigns":
        return bundle_text(objects_of(root, part))
    return bundle_text(ended_objects(root) if part == "ended" else spoiled_objects(root))


address, *parts = sys.argv[1:]
print(json.dumps({part: validated(text_of(address, part)) for part in parts}))
