"""What the drivers of Python clients share, for Python 2 too.

A driver prints one line of JSON for what a client offers, and one for each call.
"""

import inspect
import io
import json
import socket
import sys

try:
    from urllib.parse import quote
    from urllib.request import urlopen
except ImportError:
    from urllib import quote
    from urllib2 import urlopen

with io.open(sys.argv[1], encoding="utf-8") as file:
    # Written by the test: the address of the service, a token, and records to work with.
    world = json.load(file)

look_up = socket.getaddrinfo


def getaddrinfo(host, port, *args, **kwargs):
    """Stands for the DNS record of links.example.com."""
    if host == "links.example.com":
        host, port = "127.0.0.1", world["httpsPort"] if int(port) == 443 else world["httpPort"]
    return look_up(host, port, *args, **kwargs)


socket.getaddrinfo = getaddrinfo


def show(line):
    sys.stdout.write(json.dumps(line, default=str) + "\n")
    sys.stdout.flush()


def offers(names):
    """Public calls of the client, from its own source: the test wants each of them tried."""
    show({"offers": list(names)})


def methods_of(kind):
    return [name for name, _ in inspect.getmembers(kind, callable) if not name.startswith("_")]


def call(name, ask, check=lambda answer: True):
    """Tells the test which call follows, so that it can note its requests. `check` says whether the answer is right."""
    urlopen(world["calls"] + "/" + quote(name, safe="")).read()
    line = {"call": name, "passed": False}
    answer = None
    try:
        answer = ask()
        line["passed"] = check(answer) is True
        if not line["passed"]:
            line["said"] = repr(answer)
    except Exception as error:
        line["said"] = "{}: {}".format(type(error).__name__, error)
    show(line)
    return answer
