"""Files are complete or not there; links and devices stay what they are."""

import os

import pytest

from tetherlab.contracts.files import replacing


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store/page.html").write_text("old")
    (tmp_path / "link.html").symlink_to("store/page.html")
    with replacing(tmp_path / "link.html") as file:
        file.write("new")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "store/page.html").read_text() == "new"
    assert [path.name for path in (tmp_path / "store").iterdir()] == ["page.html"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("binary", [False, True])
def test_what_is_no_plain_file_is_written_to_and_not_replaced(binary, tmp_path):
    pipe = tmp_path / "pipe"  # as /dev/stdout and /dev/null, which root could replace
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with replacing(pipe, binary=binary) as file:
        file.write(b"said" if binary else "said")
    assert pipe.is_fifo() and os.read(reader, 10) == b"said"
    os.close(reader)
