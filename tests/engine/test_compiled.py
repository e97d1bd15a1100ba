import threading
import time

import pytest

from bgai.engine.compiled import map_slices, run_tasks, thread_count


def test_slices_cover_all_rows_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    for threads in ("1", "3"):
        monkeypatch.setenv("BGAI_THREADS", threads)
        slices = map_slices(lambda start, stop: (start, stop), 100, 10)
        assert len(slices) == int(threads)
        assert [row for start, stop in slices for row in range(start, stop)] == list(range(100))


def test_few_rows_and_none_are_one_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BGAI_THREADS", "4")
    assert map_slices(lambda start, stop: (start, stop), 19, 10) == [(0, 19)]
    assert map_slices(lambda start, stop: (start, stop), 0, 10) == [(0, 0)]


def test_tasks_run_at_the_same_time_and_those_within_them_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BGAI_THREADS", "2")
    meeting = threading.Barrier(2, timeout=30)

    def task() -> set[int]:
        meeting.wait()  # fails if the other task waits for this one to end
        return set(run_tasks([threading.get_ident, threading.get_ident]))

    first, second = run_tasks([task, task])
    assert len(first) == len(second) == 1
    assert first != second


def test_an_error_in_a_task_is_raised_when_the_others_have_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BGAI_THREADS", "2")
    done = []

    def fail() -> None:
        raise OSError("no space")

    def work() -> None:
        time.sleep(0.05)
        done.append(True)

    with pytest.raises(OSError, match="no space"):
        run_tasks([fail, work, work])
    assert done == [True, True]


@pytest.mark.parametrize("text", ["0", "-1", "two", ""])
def test_a_wrong_number_of_threads_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("BGAI_THREADS", text)
    with pytest.raises(ValueError, match="BGAI_THREADS must be a positive integer"):
        thread_count()
