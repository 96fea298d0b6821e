"""Prints, as a JSON list, the offset from UTC in seconds of a zone at each of the moments on standard input.

Usage: zone_offsets.py ZONE   (moments: seconds since 1970, one a line)
"""
import datetime
import json
import sys
import zoneinfo

zone = zoneinfo.ZoneInfo(sys.argv[1])
epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
print(
    json.dumps(
        [
            int((epoch + datetime.timedelta(seconds=int(line))).astimezone(zone).utcoffset().total_seconds())
            for line in sys.stdin
        ]
    )
)
