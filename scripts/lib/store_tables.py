"""The tables of an embedded store, read beside the server: what documents are, and all that they ever were."""
import collections
import datetime
import re
import sqlite3
import urllib.request

TIMESTAMP = re.compile('"timestampValue":"([^"]*)"')


class StoreTables:
    """The databases of one project in a file of `serve --data`."""

    def __init__(self, path, host, project):
        self.host, self.project = host, project
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)

    def row(self, database):
        row = self.db.execute("SELECT id FROM databases WHERE project = ? AND name = ?", (self.project, database)).fetchone()
        return row[0] if row else -1

    def extent(self, database):
        """How many documents and former versions of them there are: another one after every write."""
        return tuple(
            self.db.execute(
                f"SELECT count(*) FROM {table} WHERE database = ? AND path NOT LIKE '\\_gymmigrate%' ESCAPE '\\'",
                (self.row(database),),
            ).fetchone()[0]
            for table in ("documents", "versions")
        )

    def fields(self, database):
        """The fields of every document, to the byte."""
        sql = "SELECT path, fields FROM documents WHERE database = ?"
        return {path: text for path, text in self.db.execute(sql, (self.row(database),)) if is_data(path)}

    def histories(self, database):
        """All that each document ever was, with the server's times told by the write that set them."""
        sql = "SELECT path, create_time, update_time, {} FROM {} WHERE database = ? ORDER BY path, update_time"
        row = (self.row(database),)
        versions = collections.defaultdict(list)
        for path, *version in self.db.execute(sql.format("fields, end_time", "versions"), row):
            versions[path].append(version)
        for path, *version in self.db.execute(sql.format("fields, NULL", "documents"), row):
            versions[path].append(version)
        return {path: history(some) for path, some in versions.items() if is_data(path)}

    def write_times(self, database):
        """When each write to each document was stored, in microseconds, in their order; deletions are not among them."""
        times = []
        for table in ("versions", "documents"):
            sql = f"SELECT path, update_time FROM {table} WHERE database = ?"
            times += [time for path, time in self.db.execute(sql, (self.row(database),)) if is_data(path)]
        return sorted(times)

    def clear(self, database):
        url = f"http://{self.host}/emulator/v1/projects/{self.project}/databases/{database}/documents"
        urllib.request.urlopen(urllib.request.Request(url, method="DELETE")).close()


def is_data(path):
    return not path.startswith("_gymmigrate")


def history(versions):
    """The versions of a document with its writes numbered instead of timed."""
    writes = {}
    for _, update, _, end in versions:
        for moment in (update, end):
            if moment is not None:
                writes.setdefault(moment, len(writes))
    # A transform gives milliseconds.
    names = {text_of(moment // 1000 * 1000): number for moment, number in writes.items()}

    def named(match):
        number = names.get(match[1])
        return match[0] if number is None else f'"written":{number}'

    return [
        (writes.get(create, "before"), writes[update], TIMESTAMP.sub(named, fields), end is not None)
        for create, update, fields, end in versions
    ]


def text_of(microseconds):
    seconds, rest = divmod(microseconds, 1_000_000)
    text = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    return text + (f".{rest:06d}".removesuffix("000") if rest else "") + "Z"
