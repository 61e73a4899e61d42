"""Keys spread over workers of Dask's scheduler: the same answer, and no more bytes moved than the example counts."""

from collections.abc import Iterator

import numpy as np
import pytest
from distributed import Client, LocalCluster, wait

from attention import attention
from examples.dask_attention import Array, attend, main, merge, spread_keys, traffic
from tests.kernel.reports import close


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    options = {"n_workers": 3, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as connected:
        yield connected


def drawn(n_q: int, n_k: int) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal((2, n, 8)) for n in (n_q, n_k, n_k)]


@pytest.mark.parametrize(("n_q", "n_k"), [(10, 10), (1, 11), (7, 2), (4, 1)])
@pytest.mark.parametrize("causal", [False, True])
def test_keys_on_several_workers_give_the_answer_of_one_place(client: Client, n_q: int, n_k: int, causal: bool) -> None:
    q, k, v = drawn(n_q, n_k)
    blocks = attend(client, q, spread_keys(client, k, v), causal_over=n_k if causal else None)
    output = merge(client, blocks).future.result().output
    assert close(output, attention(q, k, v, causal=causal).output, 1e-13)


def test_every_worker_holds_its_share_of_the_keys(client: Client) -> None:
    _, k, v = drawn(1, 10)
    keys = spread_keys(client, k, v)
    assert [client.who_has(part.future)[part.future.key] for part in keys] == [[part.worker] for part in keys]
    assert [part.future.result()[0] for part in keys] == [0, 4, 7]
    assert np.array_equal(np.concatenate([part.future.result()[1] for part in keys], axis=-2), k)


def sent_by(client: Client) -> dict[str, int]:
    return client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)  # type: ignore[no-any-return]


def test_workers_send_the_bytes_that_are_counted_and_hardly_more(client: Client) -> None:
    q, k, v = drawn(500, 600)
    keys = spread_keys(client, k, v)
    blocks = attend(client, q, keys)
    wait([part.future for part in blocks])
    before = sent_by(client)
    wait(merge(client, blocks).future)
    after = sent_by(client)
    for row in traffic(client, q, keys, blocks):
        assert 0 <= after[row.worker] - before[row.worker] - row.block_sent < 1000  # Python's own bytes around arrays


def test_bytes_are_those_of_the_formulas(client: Client) -> None:
    q, k, v = drawn(5, 9)
    keys = spread_keys(client, k, v)
    rows = traffic(client, q, keys, attend(client, q, keys))
    block = 2 * 5 * (8 + 2) * 8  # heads, queries, d_v and two numbers more, bytes of a float64
    assert [row.block_sent for row in rows] == [0, block, block]
    assert [row.queries_received for row in rows] == [q.nbytes] * 3
    assert [row.ring_sent for row in rows] == [2 * (k.nbytes + v.nbytes) // 3] * 3


def test_the_example_runs_and_says_what_moves(capsys: pytest.CaptureFixture[str]) -> None:
    main(processes=False)
    printed = capsys.readouterr().out
    assert "queries: 1; differs from attention in one place by" in printed
    assert printed.count("on a ring:  3145728 of keys and values") == 8
