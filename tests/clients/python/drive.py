"""Drives an example server with a Python client: the official one, 1.x or 2.x, or FastMCP's.

    drive.py --client-version V --expected FILE --server NAME [--mode legacy|auto|VERSION]
        (--stdio BINARY | (--sse URL | --http URL) [--auth jwt|apikey])

With --auth the server is guarded, and the credentials are made from the variables that it was started with.
Prints one line per check that failed and, last, `checked N`. Exits non-zero unless all held.
"""

import argparse
import base64
import functools
import hashlib
import hmac
import importlib.metadata
import importlib.util
import json
import logging
import os
import re
import sys
import time
import warnings
from contextlib import ExitStack, asynccontextmanager
from unittest.mock import patch

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

V1 = importlib.metadata.version("mcp").startswith("1.")
CLIENT = "mcp" if importlib.util.find_spec("fastmcp") is None else "fastmcp"
if V1:
    from mcp import types
    from mcp.shared.exceptions import McpError as McpErrorType
    from pydantic import AnyUrl
else:
    import mcp_types as types
    from mcp import Client
    from mcp import MCPError as McpErrorType

STEP_SECONDS = 30
# How long the clients wait for a server whose stdin was closed before they kill it.
STDIN_CLOSED_SECONDS = 2.0
PLURAL = {
    "tools/list": ("list_tools", "tools"),
    "resources/list": ("list_resources", "resources"),
    "resources/templates/list": ("list_resource_templates", "resourceTemplates"),
    "prompts/list": ("list_prompts", "prompts"),
}

# ---------------------------------------------------------------- matching


class Missing:
    def __repr__(self):
        return "nothing"


MISSING = Missing()


def show(value):
    text = repr(value) if value is MISSING else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else f"{text[:300]}… ({len(text)} characters)"


def same(want, got):
    if isinstance(want, bool) or isinstance(got, bool) or want is None or got is None:
        return want is got
    return want == got


def match(want, got, at=""):
    """The ways in which `got` differs from the pattern `want`."""
    if isinstance(want, dict) and any(key.startswith("$") for key in want):
        return [problem for key, arg in want.items() for problem in operator(key, arg, got, at)]
    if isinstance(want, dict):
        if not isinstance(got, dict):
            return [f"{at or 'result'} is {show(got)}, not an object"]
        return [p for key, sub in want.items() for p in match(sub, got.get(key, MISSING), f"{at}.{key}".lstrip("."))]
    if isinstance(want, list):
        if not isinstance(got, list) or len(want) != len(got):
            return [f"{at} is {show(got)}, expected {show(want)}"]
        return [p for i, (w, g) in enumerate(zip(want, got)) for p in match(w, g, f"{at}[{i}]")]
    return [] if same(want, got) else [f"{at} is {show(got)}, expected {show(want)}"]


def operator(key, arg, got, at):
    wrong = [f"{at} is {show(got)}, expected {key} {show(arg)}"]
    if key == "$absent":
        return wrong if (got is MISSING) != arg else []
    if key == "$oneOf":
        return [] if any(not match(sub, got) for sub in arg) else wrong
    if key in ("$includes", "$unordered", "$every"):
        if not isinstance(got, list):
            return wrong
        if key == "$every":
            return [p for i, g in enumerate(got) for p in match(arg, g, f"{at}[{i}]")]
        if key == "$unordered" and len(got) != len(arg):
            return wrong
        return [f"{at} has no element like {show(sub)}: {show(got)}" for sub in arg if all(match(sub, g) for g in got)]
    if not isinstance(got, str):
        return wrong
    if key == "$json":
        try:
            return match(arg, json.loads(got), f"{at} (as JSON)")
        except ValueError:
            return [f"{at} is no JSON: {show(got)}"]
    if key == "$repeat":
        held = got == arg[0] * arg[1]
    elif key == "$bytes":
        held = len(got.encode()) == arg
        wrong = [f"{at} has {len(got.encode())} bytes, expected {arg}"]
    elif key == "$contains":
        held = arg in got
    elif key == "$startsWith":
        held = got.startswith(arg)
    elif key == "$matches":
        held = all(re.search(pattern, got) for pattern in (arg if isinstance(arg, list) else [arg]))
    else:
        raise ValueError(f"unknown operator {key}")
    return [] if held else wrong


def expand(value):
    if isinstance(value, dict):
        if "$repeat" in value:
            return value["$repeat"][0] * value["$repeat"][1]
        return {key: expand(sub) for key, sub in value.items()}
    return [expand(sub) for sub in value] if isinstance(value, list) else value


# ---------------------------------------------------------------- the wire


class Wire:
    """What went over the connection, as JSON."""

    def __init__(self):
        self.sent, self.received, self.responses = [], [], []

    @asynccontextmanager
    async def tap(self, transport):
        async with transport as (read, write, *_):
            yield TappedRead(read, self.received), TappedWrite(write, self.sent)

    def http_client(self, **options):
        """What the clients make for HTTP, with an ear for the responses' heads."""

        async def note(response):
            self.responses.append(response)

        client = create_mcp_http_client(**options)
        client.event_hooks["response"].append(note)
        return client

    def statuses(self, method):
        return [response.status_code for response in self.responses if response.request.method == method]

    def answers(self, request_id):
        return [m for m in self.received if "method" not in m and m.get("id") == request_id]

    def progress(self, token):
        for message in self.received:
            params = message.get("params") or {}
            if message.get("method") == "notifications/progress" and params.get("progressToken") == token:
                yield [params.get("progress"), params.get("total")]


def plain(item):
    """A session message as JSON, or None for a transport's exception."""
    message = getattr(item, "message", None)
    return message.model_dump(by_alias=True, mode="json", exclude_unset=True) if message is not None else None


class Tapped:
    def __init__(self, inner, log):
        self._inner, self._log = inner, log

    def __getattr__(self, name):
        return getattr(self._inner, name)

    async def __aenter__(self):
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exc):
        return await self._inner.__aexit__(*exc)

    def _note(self, item):
        message = plain(item)
        if message is not None:
            self._log.append(message)
        return item


class TappedRead(Tapped):
    def __aiter__(self):
        return self

    async def __anext__(self):
        return self._note(await self._inner.__anext__())

    async def receive(self):
        return self._note(await self._inner.receive())


class TappedWrite(Tapped):
    async def send(self, item):
        await self._inner.send(self._note(item))


# ---------------------------------------------------------------- credentials


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(secret, lifetime):
    """A JSON Web Token, signed with HS256."""
    now = int(time.time())
    header = {"alg": "HS256", "typ": "JWT"}
    claims = {
        "iss": os.environ["MCP_JWT_ISSUER"],
        "aud": os.environ["MCP_JWT_AUDIENCE"],
        "sub": "alice",
        "client_id": "interop",
        "scope": "read admin",
        "iat": now,
        "exp": now + lifetime,
    }
    signed = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    mac = hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{base64url(mac)}"


def credentials(auth, which):
    """The headers that a client is given: `right`, `wrong`, `expired` or `none`."""
    if which == "none":
        return {}
    if auth == "apikey":
        key = os.environ["MCP_API_KEYS"].split(",")[-1]
        return {"X-API-Key": key if which == "right" else f"{key[:-1]}?"}
    secret = os.environ["MCP_JWT_SECRET"]
    made = token(secret[::-1] if which == "wrong" else secret, -600 if which == "expired" else 600)
    return {"Authorization": f"Bearer {made}"}


# ---------------------------------------------------------------- the clients


@asynccontextmanager
async def streamable_http(url, headers, wire):
    async with wire.http_client(headers=headers) as client, streamable_http_client(url, http_client=client) as streams:
        yield streams


def transport(args, headers, wire):
    """The official clients' transport, tapped."""
    if args.stdio:
        inner = stdio_client(StdioServerParameters(command=args.stdio, args=[], env=args.env))
    elif args.sse:
        inner = sse_client(args.sse, headers=headers, httpx_client_factory=wire.http_client)
    else:
        inner = streamable_http(args.http, headers, wire)
    return wire.tap(inner)


def listener(faults):
    async def handle(message):
        if isinstance(message, Exception):
            faults.append(str(message))

    return handle


class Client1:
    """mcp 1.x: ClientSession."""

    def __init__(self, session, result):
        self.session, self.server_info, self.protocol_version = session, result.serverInfo, result.protocolVersion

    @classmethod
    @asynccontextmanager
    async def connect(cls, args, headers, wire, faults, elicit):
        async with (
            transport(args, headers, wire) as (read, write),
            ClientSession(read, write, message_handler=listener(faults), elicitation_callback=elicit) as session,
        ):
            yield cls(session, await session.initialize())

    async def ping(self):
        return await self.session.send_ping()

    async def page(self, method, cursor):
        params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
        return await getattr(self.session, method)(params=params)

    async def read(self, uri):
        return await self.session.read_resource(AnyUrl(uri))

    async def prompt(self, name, arguments):
        return await self.session.get_prompt(name, arguments)

    async def call(self, name, arguments, progress):
        return await self.session.call_tool(name, arguments, progress_callback=progress)

    async def cancel(self, request_id):
        # This client forgets an abandoned request without telling the server.
        await self.session.send_notification(
            types.ClientNotification(
                types.CancelledNotification(
                    params=types.CancelledNotificationParams(requestId=request_id, reason="changed my mind")
                )
            )
        )


class Client2:
    """mcp 2.x: Client."""

    def __init__(self, client):
        self.client, self.server_info, self.protocol_version = client, client.server_info, client.protocol_version

    @classmethod
    @asynccontextmanager
    async def connect(cls, args, headers, wire, faults, elicit):
        options = {"mode": args.mode, "message_handler": listener(faults), "elicitation_callback": elicit}
        async with Client(transport(args, headers, wire), **options) as client:
            yield cls(client)

    async def ping(self):
        return await self.client.send_ping()

    async def page(self, method, cursor):
        return await getattr(self.client, method)(cursor=cursor)

    async def read(self, uri):
        return await self.client.read_resource(uri)

    async def prompt(self, name, arguments):
        return await self.client.get_prompt(name, arguments)

    async def call(self, name, arguments, progress):
        return await self.client.call_tool(name, arguments, progress_callback=progress)

    async def cancel(self, request_id):
        """Leaving the call's cancel scope is enough; this client then tells the server."""


class ClientFast(Client2):
    """fastmcp: Client, with transports of its own around those of mcp 2.x."""

    @classmethod
    @asynccontextmanager
    async def connect(cls, args, headers, wire, faults, elicit):
        from fastmcp import Client as FastClient
        from fastmcp.client import transports

        def tap(inner):
            return lambda *args, **options: wire.tap(inner(*args, **options))

        def http_client(headers=None, timeout=None, auth=None, follow_redirects=True):
            return wire.http_client(headers=headers, timeout=timeout, auth=auth)

        async def answer(message, response_type, params, context):
            return await elicit(context, params)

        if args.stdio:
            made = transports.StdioTransport(command=args.stdio, args=[], env=args.env, keep_alive=False)
        else:
            of = transports.SSETransport if args.sse else transports.StreamableHttpTransport
            made = of(args.sse or args.http, headers=headers, httpx_client_factory=http_client)
        options = {"mode": args.mode, "message_handler": listener(faults), "elicitation_handler": answer}
        with ExitStack() as patches:
            for name in ("stdio_client", "sse_client", "streamable_http_client"):
                module = getattr(transports, name.split("_")[-2])
                patches.enter_context(patch.object(module, name, tap(getattr(module, name))))
            async with FastClient(made, **options) as client:
                yield cls(client)

    async def ping(self):
        return types.EmptyResult() if await self.client.ping() else None

    async def page(self, method, cursor):
        return await getattr(self.client, f"{method}_mcp")(cursor=cursor)

    async def read(self, uri):
        return await self.client.read_resource_mcp(uri)

    async def prompt(self, name, arguments):
        return await self.client.get_prompt_mcp(name, arguments)

    async def call(self, name, arguments, progress):
        return await self.client.call_tool_mcp(name, arguments or {}, progress_handler=progress)


# ---------------------------------------------------------------- the steps


class Stuck(Exception):
    """A wait ran out; what follows would only run out too."""


class Driver:
    def __init__(self, args, wire):
        self.args, self.wire, self.client = args, wire, None
        self.checked, self.failed, self.cancelled = 0, 0, []
        self.answers, self.asked = [], []

    async def elicit(self, context, params):
        """What the user says: what the step has an answer for, and no to all else."""
        self.asked.append(params.model_dump(by_alias=True, mode="json", exclude_none=True))
        return types.ElicitResult(**(self.answers.pop(0) if self.answers else {"action": "decline"}))

    def check(self, name, problems):
        self.checked += 1
        if problems:
            self.failed += 1
        for problem in problems:
            print(f"{name}: {problem}")

    async def send(self, do, params, progress=None):
        if do == "ping":
            return dumped(await self.client.ping())
        if do == "tools/call":
            return dumped(await self.client.call(params["name"], params.get("arguments"), progress))
        if do == "resources/read":
            return dumped(await self.client.read(params["uri"]))
        if do == "prompts/get":
            return dumped(await self.client.prompt(params["name"], params.get("arguments")))
        method, key = PLURAL[do]
        entries, cursor = [], None
        for _ in range(100):
            page = dumped(await self.client.page(method, cursor))
            entries += page[key]
            cursor = page.get("nextCursor")
            if cursor is None:
                return {key: entries}
        raise ValueError("the list has no end: 100 pages and still a nextCursor")

    async def answer(self, step, progress=None):
        """The problems with the answer to one request."""
        params = expand(step.get("params", {}))
        want = step.get("result", {})
        try:
            with anyio.fail_after(STEP_SECONDS):
                result = await self.send(step["do"], params, progress)
        except TimeoutError:
            raise Stuck(f"{step.get('name', step['do'])}: no answer within {STEP_SECONDS} s") from None
        except McpErrorType as error:
            got = {"code": error.error.code, "message": error.error.message}
            if "error" not in step:
                return [f"error {show(got)}, expected a result"]
            return match(step["error"], got, "error")
        except Exception as error:  # the client could not make sense of the answer
            return [f"{type(error).__name__}: {error}"]
        if "error" in step:
            return [f"result {show(result)}, expected error {show(step['error'])}"]
        if step["do"] == "tools/call" and "isError" not in want:
            want = {**want, "isError": {"$oneOf": [{"$absent": True}, False]}}
        return match(want, result)

    async def run(self, step):
        if step["do"] == "together":
            problems = []

            async def one(call):
                arguments = show(call["params"]["arguments"])
                problems.extend(f"{arguments}: {problem}" for problem in await self.answer(call))

            async with anyio.create_task_group() as group:
                for call in step["calls"]:
                    group.start_soon(one, call)
            return problems
        if step["do"] == "cancel":
            return await self.cancel(step)
        if "progress" not in step:
            self.answers, self.asked = list(step.get("answers", [])), []
            problems = await self.answer(step)
            problems += match(step.get("asked", []), self.asked, "what was asked")
            if "error" not in step or problems:
                return problems
            # A client may make such an error by itself: it has to be the server's.
            request_id = [m["id"] for m in self.wire.sent if "method" in m and "id" in m][-1]
            got = [m.get("error", MISSING) for m in self.wire.answers(request_id)][-1:]
            return match([step["error"]], got, "errors (received)")
        wanted = step["progress"]
        if isinstance(wanted, int):
            wanted = [[i, wanted] for i in range(1, wanted + 1)]
        seen = []

        async def on_progress(progress, total, message):
            seen.append([progress, total])

        problems = await self.answer(step, on_progress)
        with anyio.move_on_after(2):
            while len(seen) < len(wanted):
                await anyio.sleep(0.01)
        request_id = self.last_call()
        # The notifications of a request end with its answer.
        last = max((i for i, m in enumerate(self.wire.received) if m in self.wire.answers(request_id)), default=None)
        late = [
            m
            for m in self.wire.received[(last or 0) + 1 :]
            if m.get("method") == "notifications/progress" and m["params"]["progressToken"] == request_id
        ]
        if late and last is not None:
            problems.append(f"progress after the result: {show(late)}")
        for where, got in (("received", list(self.wire.progress(request_id))), ("callback", seen)):
            if got != wanted:
                problems.append(f"progress ({where}) is {show(got)}, expected {show(wanted)}")
        return problems

    @property
    def modern(self):
        return self.client.protocol_version >= "2026"

    def last_call(self):
        return [m["id"] for m in self.wire.sent if m.get("method") == "tools/call"][-1]

    async def cancel(self, step):
        problems, outcome, seen = [], [], []
        reports = step.get("afterProgress", 0)
        enough = anyio.Event()

        async def on_progress(progress, total, message):
            seen.append(progress)
            if len(seen) >= reports:
                enough.set()

        async def call():
            try:
                outcome.append(show(await self.send("tools/call", step["params"], on_progress)))
            except McpErrorType as error:
                outcome.append(f"error {error}")
            enough.set()

        async with anyio.create_task_group() as group:
            group.start_soon(call)
            if not reports:
                with anyio.move_on_after(step["afterMs"] / 1000):
                    await enough.wait()
                enough.set()
            with anyio.move_on_after(STEP_SECONDS) as scope:
                await enough.wait()
            if not scope.cancel_called:
                with anyio.fail_after(STEP_SECONDS):
                    await self.client.cancel(self.last_call())
                await anyio.sleep(0.1)
            group.cancel_scope.cancel()
        if outcome:
            return [f"the call ended by itself: {outcome[0]}"]
        if len(seen) < reports:
            return [f"{len(seen)} progress reports in {STEP_SECONDS} s, waited for {reports}"]
        request_id = self.last_call()
        self.cancelled.append(request_id)
        told = [m for m in self.wire.sent if m.get("method") == "notifications/cancelled"]
        # Where each request has its connection, a client of the newest version only closes that.
        if not (self.args.http and self.modern) and [m["params"].get("requestId") for m in told[-1:]] != [request_id]:
            problems.append(f"the client did not say that it cancelled {request_id}: {show(told)}")
        if "then" not in step:
            await anyio.sleep(step["watchMs"] / 1000)
            return problems + self.cancelled_answers()

        async def count():
            with anyio.fail_after(STEP_SECONDS):
                result = await self.send("tools/call", step["then"])
            return len(result["structuredContent"]["titles"])

        await count()
        await anyio.sleep(step["settleMs"] / 1000)
        before = await count()
        await anyio.sleep(step["watchMs"] / 1000)
        after = await count()
        if before != after:
            problems.append(f"it goes on after the cancellation: {before} notes, then {after}")
        if not step["atLeast"] <= after < step["below"]:
            problems.append(f"{after} notes, expected {step['atLeast']} or more and less than {step['below']}")
        return problems + self.cancelled_answers()

    def cancelled_answers(self):
        return [f"answered though cancelled: {show(m)}" for i in self.cancelled for m in self.wire.answers(i)]


def dumped(result):
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)


def kind_of():
    if CLIENT == "fastmcp":
        return ClientFast
    return Client1 if V1 else Client2


def protocol_version(args):
    """What has to be agreed on. HTTP+SSE is older than the newest version, and does not carry it."""
    newest = args.mode if args.mode not in ("auto", "legacy") else "2026-07-28"
    return "2025-11-25" if args.mode == "legacy" or args.sse else newest


def handshake(args):
    """The methods that come first."""
    if args.mode not in ("auto", "legacy"):
        return []
    initialize = ["initialize", "notifications/initialized"] if protocol_version(args) < "2026" else []
    # FastMCP knows that HTTP+SSE is too old to be asked.
    asks = args.mode == "auto" and not (CLIENT == "fastmcp" and args.sse)
    return (["server/discover"] if asks else []) + initialize


async def drive(args):
    expected = json.loads(args.expected_text)
    wire, faults = Wire(), []
    guarded = expected["guarded"].get(args.auth)
    driver = Driver(args, wire)
    version = importlib.metadata.version(CLIENT)
    if version != args.client_version:
        driver.check("client", [f"{CLIENT} {version} is installed, expected {args.client_version}"])
    closing = None
    try:
        kind = kind_of()
        headers = credentials(args.auth, "right") if args.auth else None
        async with _connected(kind.connect(args, headers, wire, faults, driver.elicit)) as client:
            driver.client = client
            sent = [m["method"] for m in wire.sent]
            driver.check("handshake", match(handshake(args), sent, "the methods sent"))
            if sent[:1] == ["server/discover"]:
                wanted = "result" if driver.modern else "error"
                problems = [] if any(wanted in m for m in wire.answers(wire.sent[0]["id"])) else [f"got no {wanted}"]
                driver.check("server/discover", problems)
            # A client that asks nothing at first knows of no name.
            if sent:
                driver.check("server name", match(args.server, client.server_info.name, "name"))
                driver.check("server version", match({"$matches": "."}, client.server_info.version, "version"))
            driver.check("protocol version", match(protocol_version(args), client.protocol_version, "version"))
            era = "modern" if driver.modern else "legacy"
            for step in guarded["steps"] if guarded else expected["servers"][args.server]:
                if step.get("era", era) == era:
                    driver.check(step["name"], await driver.run(step))
            if args.http:
                with anyio.move_on_after(2):
                    while not driver.modern and not wire.statuses("GET"):
                        await anyio.sleep(0.01)
                wanted = [] if driver.modern else [200]
                driver.check("the session's own stream", match(wanted, wire.statuses("GET"), "the answers to GET"))
            driver.check("cancelled calls stay unanswered", driver.cancelled_answers())
            driver.check("no faults in the connection", list(faults))
            closing = time.monotonic()
        if args.stdio:
            took = time.monotonic() - closing
            problem = f"the server was still there {took:.1f} s after its stdin was closed, and had to be killed"
            driver.check("ends when its stdin is closed", [problem] if took >= STDIN_CLOSED_SECONDS else [])
        if args.http:
            wanted = [] if driver.modern else [{"$oneOf": [200, 202, 204]}]
            driver.check("the session is ended", match(wanted, wire.statuses("DELETE"), "the answers to DELETE"))
        for want in guarded["refused"] if guarded else []:
            driver.check(f"refused: {want['credentials']}", await refused(kind, args, want))
    except BaseException as error:
        for leaf in leaves(error):
            driver.check("stopped", [f"{type(leaf).__name__}: {leaf}"])
    print(f"checked {driver.checked}")
    return 1 if driver.failed or driver.checked == 0 else 0


async def refused(kind, args, want):
    """The problems with how a connection without the right credentials is refused: the client says no, having heard so."""
    wire = Wire()
    try:
        async with _connected(kind.connect(args, credentials(args.auth, want["credentials"]), wire, [], None)) as client:
            # One that asks nothing at first is let in by nobody yet.
            await client.page(*PLURAL["tools/list"][:1], None)
            return ["it was let in"]
    except BaseException as error:
        told = leaves(error)
    if args.sse and kind is not ClientFast and [type(leaf).__name__ for leaf in told] != ["HTTPStatusError"]:
        return [f"the client tells {type(leaf).__name__}: {leaf}, expected HTTPStatusError" for leaf in told]
    if not wire.responses:
        return [f"there was no response; the client tells {type(leaf).__name__}: {leaf}" for leaf in told]
    last = wire.responses[-1]
    got = {"status": last.status_code, "challenge": last.headers.get("WWW-Authenticate", MISSING)}
    return match({key: want[key] for key in got}, got)


@asynccontextmanager
async def _connected(connection):
    """Bounds connecting, and lets an error in the body pass unwrapped through the client's task groups."""
    failure = None
    with anyio.fail_after(STEP_SECONDS) as scope:
        async with connection as client:
            scope.deadline = float("inf")
            try:
                yield client
            except Exception as error:
                failure = error
            scope.deadline = anyio.current_time() + STEP_SECONDS
    if failure is not None:
        raise failure


def leaves(error):
    inner = getattr(error, "exceptions", None)
    return [error] if inner is None else [leaf for sub in inner for leaf in leaves(sub)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--client-version", required=True)
    parser.add_argument("--expected", required=True)
    parser.add_argument("--server", required=True)
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--auth", choices=["jwt", "apikey"])
    # What the clients do unless they are told: 1.x knows nothing else.
    parser.add_argument("--mode", default="legacy" if V1 else "auto")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--stdio", metavar="BINARY")
    where.add_argument("--sse", metavar="URL")
    where.add_argument("--http", metavar="URL")
    args = parser.parse_args()
    args.env = dict(pair.split("=", 1) for pair in args.env)
    with open(args.expected, encoding="utf-8") as file:
        args.expected_text = file.read()
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    warnings.simplefilter("ignore")
    logging.basicConfig(level=logging.WARNING)
    sys.exit(anyio.run(functools.partial(drive, args)))


if __name__ == "__main__":
    main()
