#!/usr/bin/env python3
"""Runs the contract tests of the embedded store against Google's own emulator, and against the server that FIRESTORE_EMULATOR_HOST names.

    python3 contract_suite.py COMMAND [ARGUMENTS...]

COMMAND runs the contract tests on the server in FIRESTORE_CONTRACT_ENDPOINT. A test that fails against the emulator has to be one of
DIFFERENT, with a line of the table in docs/embedded-store.md; one of these that passes is an error, too, so that the table stays true.
"""

import os
import re
import subprocess
import sys

import google_emulator

# Test: the words of its line in the table.
DIFFERENT = {
    "aListOrdersByFieldsAndLeavesOutWhatLacksThem": "`orderBy` of a list",
    "aLongAnswerComesInChunksAndIsWhole": "an answer of more than 64 KiB",
    "aMalformedURLIsRefused": "an unknown parameter or a malformed escape in a URL",
    "aMemberThatIsGivenTwiceIsRefused": "a member of a JSON object that is given twice",
    "aReadTimeShowsWhatWas": "`readTime` in a `GET`",
    "aTransactionIsAbortedWhereWhatItReadHasChanged": "transactions",
    "aggregationsCountSumAndAverage": "more than five aggregations",
    "anEmptyQueryIsAnsweredWithItsTimeAndSkippedResultsAreTold": "the last element of a query's answer",
    "anEncodedSlashStaysAsItIs": "an encoded slash in an id (`a%2Fb`)",
    "anIDIsDecodedOnce": "an id of a space alone",
    "batchGetGivesEachDocumentOnce": "a document of another database in a request",
    "collectionIDsAreListedAlsoBelowMissingDocuments": "`pageSize` of `listCollectionIds`",
    "fieldsThatCannotBeStoredAreRefused": "half of a surrogate pair in a text",
    "indexEntries": "more than 40,000 index entries of a document",
    "namesAreOrderedSegmentBySegmentNumbersFirst": "`__name__` descending alone",
    "pagesAreBoundedAndTheirTokensBound": "a page of a list",
    "partitionsCoverTheGroup": "`partitionQuery`",
    "whatIsEqual": "nanoseconds in a filter",
    "whatIsNotOfferedIsNamed": "`findNearest`, `explainOptions`",
}


def failed(command, endpoint):
    """The tests that fail against a server, and how many were run."""
    environment = {**os.environ, "FIRESTORE_CONTRACT_ENDPOINT": endpoint}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace")
    text = re.sub("\x1b\\[[0-9;]*m", "", done.stdout + done.stderr)
    ended = re.findall(r"^. Test (\w+)\(.*?\)(?: with \d+ test cases?)? (passed|failed) after", text, re.MULTILINE)
    if not ended:
        sys.exit(f"contract suite: no test was run\n{text[-3000:]}")
    return {name for name, outcome in ended if outcome == "failed"}, len(ended)


def main():
    command = sys.argv[1:]
    wrong = False
    with open("docs/embedded-store.md", encoding="utf-8") as page:
        table = page.read()
    for test, words in DIFFERENT.items():
        if f"| {words} |" not in table:
            print(f"contract suite: the table of docs/embedded-store.md has no line '{words}', which {test} needs")
            wrong = True
    given = os.environ.get("FIRESTORE_EMULATOR_HOST")
    if given:
        failures, count = failed(command, given)
        print(f"contract suite: {given}: {count - len(failures)} of {count} tests pass{''.join(f'; {test} fails' for test in sorted(failures))}")
        wrong = wrong or bool(failures)
    program = google_emulator.found()
    if program is None:
        print("SKIPPED: Google's emulator is not installed (GYMMIGRATE_EMULATOR=FILE names it), so it does not judge the contract tests.")
        sys.exit(1 if wrong else 0)
    with google_emulator.running(program) as endpoint:
        failures, count = failed(command, endpoint)
    print(f"contract suite: Google's emulator: {count - len(failures)} of {count} tests pass, {len(failures)} differ as the table says")
    for test in sorted(failures ^ DIFFERENT.keys()):
        print(f"contract suite: {test} {'fails' if test in failures else 'passes'} against the emulator, and DIFFERENT says otherwise")
        wrong = True
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
