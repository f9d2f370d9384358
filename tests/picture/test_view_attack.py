"""The server of quipu view lets in one browser and refuses everything else: what it does with a thousand hostile requests, from this user and others."""
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import time
import unittest

from viewing import HAS_SERVER, QUIPU, View, write_trace
from folder import FolderTest


@unittest.skipUnless(HAS_SERVER, "quipu was built without civetweb")
class Attack(FolderTest):
    def view(self, *arguments):
        return View(*arguments, write_trace(self.path("t.otf"), rounds=3))

    def status(self, view, request, timeout=20):
        """The status that bytes get; 0: the connection ends without one."""
        with socket.create_connection(("127.0.0.1", view.port), timeout=timeout) as connection:
            try:
                connection.sendall(request)
                reply = connection.makefile("rb").readline()
            except (ConnectionError, socket.timeout):
                return 0
        words = reply.split()
        return int(words[1]) if len(words) > 1 and words[0].startswith(b"HTTP/") else 0

    def request(self, view, path, *headers, host=None, method="GET", cookie=True):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{view.port}'}", "Connection: close", *headers]
        if cookie:
            lines.append(f"Cookie: {view.cookie}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def check_alive(self, view):
        self.assertEqual(view.ask("trace")["format"], "otf")

    def test_the_address_serves_once(self):
        with self.view() as view:
            self.assertEqual(view.request("/")[0], 403)
            status, headers, body = view.request("/?token=" + view.token)
            self.assertEqual(status, 200)
            self.assertIn(b"timeline.js", body)
            cookie = headers["Set-Cookie"]
            self.assertRegex(cookie, rf"^quipu-{view.port}=[0-9a-f]{{32}}; Path=/; HttpOnly; SameSite=Strict$")
            self.assertNotIn(view.token, cookie)
            self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
            self.assertNotIn("unsafe", headers["Content-Security-Policy"])
            self.assertEqual((headers["X-Content-Type-Options"], headers["Referrer-Policy"], headers["Cache-Control"]), ("nosniff", "no-referrer", "no-store"))
            self.assertEqual(view.request("/?token=" + view.token)[0], 403)
            view.cookie = cookie.split(";")[0]
            self.assertEqual(view.get("/")[0], 200)
            self.check_alive(view)

    def test_a_cookie_is_needed_before_the_token_was_used(self):
        with self.view() as view:
            for cookie in (f"quipu-{view.port}=", f"quipu-{view.port}={'0' * 32}", f"quipu-{view.port}={view.token}"):
                self.assertEqual(view.request("/ask/0/trace", headers={"Cookie": cookie})[0], 403)
            view.enter()
            self.check_alive(view)

    def test_secrets_are_in_no_arguments(self):
        with self.view() as view:
            view.enter()
            for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    self.assertNotIn(view.token.encode(), process.read_bytes())
                except OSError:
                    pass  # it has ended

    def test_a_browser_is_opened_by_a_file_that_no_other_reads(self):
        seen = self.path("seen")
        with open(self.path("xdg-open"), "w", encoding="ascii") as file:
            file.write(f'#!/bin/sh\n{{ stat -c %a "$1" "$(dirname "$1")"; cat "$1"; }} >"{seen}.part" && mv "{seen}.part" "{seen}"\n')
        os.chmod(self.path("xdg-open"), 0o700)
        environment = dict(os.environ, PATH=self.folder + ":" + os.environ["PATH"], DISPLAY=":99", XDG_RUNTIME_DIR=self.folder)
        process = subprocess.Popen([QUIPU, "view", write_trace(self.path("t.otf"), rounds=3)], env=environment, stdout=subprocess.PIPE, text=True)
        address = process.stdout.readline().strip()
        for _ in range(200):
            if os.path.exists(seen):
                break
            time.sleep(0.05)
        with open(seen, encoding="ascii") as file:
            modes, page = file.read().split("<", 1)
        self.assertEqual(modes.split(), ["600", "700"])
        self.assertIn(address, page)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("quipu-view")], [])

    def test_other_names_origins_and_methods_are_refused(self):
        with self.view() as view:
            view.enter()
            own = f"127.0.0.1:{view.port}"
            ask = lambda *headers, **more: self.status(view, self.request(view, "/ask/0/trace", *headers, **more))  # noqa: E731
            self.assertEqual(ask(), 200)
            self.assertEqual(ask(host=f"localhost:{view.port}"), 200)
            self.assertEqual(ask(f"Origin: http://{own}", "Sec-Fetch-Site: same-origin"), 200)
            for host in ("127.0.0.1", "evil.example", f"evil.example:{view.port}", f"127.0.0.1:{view.port + 1}", f"127.0.0.1.evil.example:{view.port}",
                         f"{own}@evil.example", "", f"[::1]:{view.port}"):
                self.assertIn(ask(host=host or " "), (400, 403), host)
            for origin in ("http://evil.example", "null", f"https://{own}", f"http://{own}.evil.example", f"http://127.0.0.1:{view.port + 1}", "file://"):
                self.assertEqual(ask(f"Origin: {origin}"), 403, origin)
            for site in ("cross-site", "same-site", "none"):
                self.assertEqual(ask(f"Sec-Fetch-Site: {site}"), 403, site)
            self.assertEqual(ask(f"Host: {own}"), 403)
            self.assertEqual(ask(f"Origin: http://{own}", f"Origin: http://{own}"), 403)
            for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "CONNECT", "TRACE"):
                self.assertIn(ask(method=method), (400, 404, 405), method)
            self.assertEqual(ask("Content-Length: 5"), 400)
            self.assertEqual(self.status(view, self.request(view, "/ask/0/trace", method="HEAD")), 200)
            self.check_alive(view)

    def test_no_file_of_the_system_is_served(self):
        with self.view() as view:
            view.enter()
            for path in ("/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/etc/passwd", "/./timeline.js/../../t.otf",
                         "/t.otf", "/.", "/ask", "/ask/", "/ask/0", "/ask/0/", "/ask/1/trace", "/ask/-1/trace", "/ask/18446744073709551616/trace", "/ask/0x0/trace",
                         "/ask/0/nothing", "/ask/0/trace/..", "/timeline.js/", "/TIMELINE.JS", "/index.html", "/cgi-bin/sh", "/%ff"):
                self.assertIn(self.status(view, self.request(view, path)), (400, 404), path)
            for question in ("tile", "tile?by=location&level=99&rows=0", "tile?level=0&rows=0-99999999999", "tile?level=0&rows=5-1", "tile?rows=0-64", "calls?from=x",
                             "calls?from=9&to=1", "calls?from=99999999999999999999&to=1", "tile?where=" + "%28" * 4000, "tile?where=%00", "tile?where=%zz", "search?text=" + "x" * 5000,
                             "counter?metric=99999&rows=0", "next?region=abc", "trace?by=location"):
                status = self.status(view, self.request(view, "/ask/0/" + question))
                self.assertIn(status, (200, 400, 404) if question == "tile" else (400, 404), question[:60])
            for question in ("calls?from=-9223372036854775808&to=9223372036854775807&rows=0-4&pixels=0", "messages?from=0&to=9223372036854775807&rows=0-63",
                             "waits?from=9223372036854775807&to=9223372036854775807&rows=0&pixels=9223372036854775", "path?from=-1&to=0&rows=4294967294"):
                self.assertEqual(self.status(view, self.request(view, "/ask/0/" + question)), 200, question)
            self.check_alive(view)

    def test_a_thousand_hostile_requests(self):
        draw = random.Random(5)
        with self.view() as view:
            view.enter()
            letters = bytes(range(256))
            for i in range(1000):
                kind = i % 5
                if kind == 0:  # tokens and cookies that are wrong
                    guess = f"{draw.getrandbits(128):032x}"[:draw.randrange(33)]
                    request = self.request(view, f"/?token={guess}", f"Cookie: quipu-{view.port}={guess}", cookie=False)
                elif kind == 1:  # no request at all
                    request = bytes(draw.choice(letters) for _ in range(draw.randrange(1, 400))) + b"\r\n\r\n"
                elif kind == 2:  # huge headers
                    request = self.request(view, "/", "X: " + "a" * draw.choice((100, 20000, 100000)), cookie=False)
                elif kind == 3:  # many headers
                    request = self.request(view, "/ask/0/trace", *[f"H{n}: {n}" for n in range(draw.randrange(1, 300))], cookie=False)
                else:  # cut and changed
                    request = bytearray(self.request(view, "/ask/0/trace", cookie=False))
                    for _ in range(draw.randrange(1, 6)):
                        request[draw.randrange(len(request))] = draw.randrange(256)
                    request = bytes(request) + b"\r\n\r\n"
                self.assertNotEqual(self.status(view, request), 200, request[:200])
            self.check_alive(view)

    def test_slow_clients_do_not_keep_others_out(self):
        with self.view() as view:
            view.enter()
            slow = []
            for i in range(100):
                connection = socket.create_connection(("127.0.0.1", view.port), timeout=20)
                connection.sendall(b"GET / HT" if i % 2 else b"")
                slow.append(connection)
            begin = time.monotonic()
            self.check_alive(view)
            self.assertLess(time.monotonic() - begin, 30)
            for connection in slow:
                connection.close()
            self.check_alive(view)

    def test_it_ends_while_slow_clients_are_there(self):
        """Some say nothing, some half of a request, some a letter now and then, and one asks for much and reads nothing."""
        with self.view() as view:
            view.enter()
            slow = []
            for begin in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nX: ") * 20:
                slow.append(socket.create_connection(("127.0.0.1", view.port), timeout=20))
                slow[-1].sendall(begin)
            deaf = socket.socket()
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            deaf.connect(("127.0.0.1", view.port))
            deaf.sendall(self.request(view, "/timeline.js").replace(b"close", b"keep-alive") * 50)
            view.process.send_signal(signal.SIGINT)
            end = time.monotonic() + 60
            while view.process.poll() is None and time.monotonic() < end:
                for connection in slow:
                    try:
                        connection.send(b"a")
                    except OSError:
                        pass
                time.sleep(0.2)
            self.assertEqual(view.process.poll(), 0)
            for connection in (*slow, deaf):
                connection.close()

    def another_user(self, view):
        """What the server says to another user of the machine, and whether that one may look at the process's environment. Root plays him."""
        script = ("import os, socket\nconnection = socket.socket()\nos.setgroups([])\nos.setgid(65534)\nos.setuid(65534)\n"
                  f"connection.connect((b'127.0.0.1', {view.port}))\n"
                  f"connection.sendall(b'GET /ask/0/trace HTTP/1.1\\r\\nHost: 127.0.0.1:{view.port}\\r\\n\\r\\n')\n"
                  "print(connection.recv(100).split()[1].decode())\n"
                  f"try:\n    print(len(open('/proc/{view.process.pid}/environ').read()))\nexcept PermissionError:\n    print('refused')\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        return done.stdout.split() or done.stderr

    def test_another_user_is_refused(self):
        if os.getuid() != 0:
            return  # only root can play another user
        with self.view() as view:
            self.assertEqual(self.another_user(view), ["403", "refused"])
            view.enter()
            self.assertEqual(self.another_user(view), ["403", "refused"])
            self.check_alive(view)

    def test_only_the_loopback_interface_listens(self):
        with self.view() as view:
            lines = pathlib.Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
            port = f":{view.port:04X}"
            listening = [line.split()[1] for line in lines if line.split()[1].endswith(port) and line.split()[3] == "0A"]
            self.assertEqual(len(listening), 1)
            self.assertEqual(int(listening[0].split(":")[0], 16).to_bytes(4, sys.byteorder), bytes((127, 0, 0, 1)))
            six = pathlib.Path("/proc/net/tcp6")
            if six.exists():
                self.assertNotIn(port, " ".join(line.split()[1] for line in six.read_text(encoding="ascii").splitlines()[1:] if line.split()[3] == "0A"))

    def test_what_is_said_and_how_it_ends(self):
        with self.view() as view:
            lines = [view.process.stdout.readline() for _ in range(2)]
            self.assertRegex(lines[0], rf"^from another machine, first: ssh -L {view.port}:127\.0\.0\.1:{view.port} ")
            view.process.send_signal(signal.SIGINT)
            self.assertEqual(view.process.wait(timeout=30), 0)
        trace = self.path("t.otf")
        with self.view() as view:
            done = subprocess.run([QUIPU, "view", "--no-browser", "--port", str(view.port), trace], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (4, ""))
            self.assertIn(f"port {view.port} of 127.0.0.1 cannot be listened on", done.stderr)
        for arguments, text in (((trace, "--port", "70000"), "--port takes a number up to 65535"), (("-",), "standard input can be read once")):
            done = subprocess.run([QUIPU, "view", *arguments], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
