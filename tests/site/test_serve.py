"""A server that cannot listen says so before anything is built."""

import socket

import pytest

from sitekit.serve import check_port


def test_a_port_that_is_taken_is_named_with_another_to_try() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(SystemExit, match=f"^serve: port {port} is taken; name another one: make serve PORT="):
            check_port(str(port))
    assert check_port(str(port)) == port


@pytest.mark.parametrize("text", ["", "http", "0", "65536", "-1"])
def test_what_is_no_port_is_refused(text: str) -> None:
    with pytest.raises(SystemExit, match="it must be a number from 1 to 65535"):
        check_port(text)
