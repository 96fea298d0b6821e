"""The documents of benchmarks: a note and a number, with ids as the service makes them.

    bench_lines.py COLLECTION DOCUMENTS    prints such lines of JSON, with a flag each
"""
import random
import string
import sys

NOTES = "lorem ipsum, dolor sit amet, consectetur adipiscing elit " * 4


def identifier(chance):
    return "".join(chance.choices(string.ascii_letters + string.digits, k=20))


def line(name, number, flag='"isActive":{"booleanValue":true},'):
    return '{"fields":{%s"n":{"integerValue":"%d"},"notes":{"stringValue":"%s"}},"name":"%s"}\n' % (flag, number, NOTES, name)


if __name__ == "__main__":
    chance = random.Random(1)
    for number in range(int(sys.argv[2])):
        sys.stdout.write(line(f"{sys.argv[1]}/{identifier(chance)}", number))
