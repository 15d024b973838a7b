"""A reverse proxy in miniature: each connection goes to the next server that takes it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from threading import Event, Thread


class Proxy:
    """Passes bytes on; a server that refuses a connection is left out for that one."""

    def __init__(self, ports: list[int]) -> None:
        self.ports = ports
        self.port = 0
        self._turns = count()
        self._loop = asyncio.new_event_loop()
        self._started = Event()

    def run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            asyncio.start_server(self._take, "127.0.0.1", 0, backlog=500)
        )
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        self._loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def wait(self) -> None:
        self._started.wait()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)

    async def _take(self, reader, writer) -> None:
        pair = await self._connected()
        if pair is None:
            writer.close()
            return
        await asyncio.gather(_pass_on(reader, pair[1]), _pass_on(pair[0], writer))

    async def _connected(self):
        turn = next(self._turns)
        for step in range(len(self.ports)):
            port = self.ports[(turn + step) % len(self.ports)]
            try:
                return await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                continue
        return None


async def _pass_on(reader, writer) -> None:
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


@contextmanager
def proxy_before(ports: list[int]) -> Iterator[Proxy]:
    proxy = Proxy(ports)
    thread = Thread(target=proxy.run)
    thread.start()
    proxy.wait()
    try:
        yield proxy
    finally:
        proxy.stop()
        thread.join()
