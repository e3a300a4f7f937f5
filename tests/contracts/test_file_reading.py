"""Files that are damaged or made to do harm: one sentence that names them, and no cost beyond their size."""

import io
import os
import zipfile

import numpy as np
import pytest

from tetherlab.contracts import file_reading as F
from tetherlab.contracts.errors import InputError


def npy(array, **options):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, **options)
    return stream.getvalue()


def announcing(shape, kind="<f8"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": kind, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def said(function, *arguments):
    with pytest.raises(InputError) as caught:
        function(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "array",
    [np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6).reshape(2, 3)), np.array(3.5),
     np.zeros((0, 4)), np.array(["a", "bc"]), np.zeros(3, [("a", "<i8"), ("b", "<f8", (2, 2))])],
)  # fmt: skip
def test_arrays_come_back_as_they_were_and_can_be_written_to(array):
    again = F.parse_array(npy(array))
    assert again.dtype == array.dtype and again.flags.writeable
    np.testing.assert_array_equal(again, array)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda data: announcing((10**12,)) + data[-64:], "64 bytes are no array of shape (1000000000000,)"),
        (lambda data: announcing((-8,)) + data[-64:], "the header of an array is damaged"),
        (lambda data: announcing((8,), "|O") + data[-64:], "an array of Python objects is not read"),
        (lambda data: data[:-1], "63 bytes are no array"),
        (lambda data: data[:20], "EOF: reading array header"),
        (lambda data: b"hello", "EOF: reading magic string"),
        (lambda data: data.replace(b"(8,)", b"(8, "), "the header of an array is damaged"),
    ],
)
def test_an_array_whose_header_lies_is_refused(tmp_path, change, reason):
    path = tmp_path / "a.npy"
    path.write_bytes(change(npy(np.arange(8.0))))
    assert f"a.npy: damaged, or not an .npy file of one array ({reason}" in said(F.read_array, path)


def test_python_objects_are_never_made(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    (tmp_path / "a.npy").write_bytes(npy(np.array([Trap()], object), allow_pickle=True))
    assert "an array of Python objects is not read" in said(F.read_array, tmp_path / "a.npy")
    assert not (tmp_path / "sprung").exists()


def test_a_small_file_that_unpacks_to_much_is_refused(tmp_path):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.npy", "w") as member:
        for _ in range(70):
            member.write(bytes(2**20))
    assert path.stat().st_size < 100_000
    text = said(F.read_arrays, path, "a map")
    assert text == f"{path}: would unpack to 70 MB; at most 64 MB for a file of its size"


def test_a_zip_file_of_many_files_or_with_a_password_is_refused(tmp_path):
    path = tmp_path / "many.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for index in range(1001):
            archive.writestr(f"{index}", b"")
    assert "holds 1001 files; at most 1000 are read" in said(F.read_archive, path)
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"abc")
    content = bytearray(path.read_bytes())
    content[6] |= 1  # it says that it is encrypted
    content[content.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(content)
    assert "cannot be unpacked" in said(F.read_archive, path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("[" * 100_000, "nested too deeply"), ('{"a":' * 60 + "1" + "}" * 60, "more than 50 lists and mappings"),
     ("[]", "must be a mapping, got a list"), ("", "Expecting value"), ("\0", "Expecting value")],
)  # fmt: skip
def test_json_that_is_damaged_or_deep_is_refused(tmp_path, text, reason):
    (tmp_path / "a.json").write_text(text)
    assert reason in said(F.read_json, tmp_path / "a.json")


def test_whole_numbers_of_json_do_not_grow_beyond_64_bits(tmp_path):
    (tmp_path / "a.json").write_text('{"a": ' + "9" * 5000 + ', "b": 12}')
    assert F.read_json(tmp_path / "a.json") == {"a": float("inf"), "b": 12}


def test_devices_folders_and_names_that_cannot_be_are_not_read(tmp_path):
    assert said(F.read_bytes, "/dev/zero") == "/dev/zero: is not a plain file"
    assert said(F.read_bytes, tmp_path) == f"{tmp_path}: is a folder, not a file"
    os.mkfifo(tmp_path / "pipe")
    assert "is not a plain file" in said(F.read_text, tmp_path / "pipe")
    assert "cannot be read: File name too long" in said(F.read_bytes, tmp_path / ("x" * 5000))
    assert "embedded null" in said(F.read_bytes, tmp_path / "a\0b")


def test_a_long_line_is_cut_and_the_next_one_is_whole():
    file = io.StringIO("a\n" + "x" * (3 * F.LINE_MAX) + "\nb\n\nc")
    first, long, *rest = F.text_lines(file)
    assert (first, len(long), rest) == ("a\n", F.LINE_MAX + 1, ["b\n", "\n", "c"])


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r", b""])
@pytest.mark.parametrize("before", [0, 1, 47, F.BLOCK - 1, F.BLOCK])
def test_a_line_that_is_too_long_is_found_wherever_it_begins(tmp_path, before, end):
    path, start = tmp_path / "a", b"\n" * before
    path.write_bytes(start + b"1" * (F.LINE_MAX - 1) + end + (b"2\n" if end else b""))
    F.require_short_lines(path)
    path.write_bytes(start + b"1" * (F.LINE_MAX + 1) + end + (b"2\n" if end else b""))
    assert said(F.require_short_lines, path) == f"{path}: has a line of more than 1000000 bytes"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_and_read_whatever_ends_them(tmp_path, end, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf" + end.join(("t,x", "1,2", "", "3,4", "")).encode())
    assert list(F.read_csv_cells(path)) == [["t", "x"], ["1", "2"], [], ["3", "4"]]
    monkeypatch.setattr(F, "LINES_MAX", 3)
    assert said(list, F.read_lines(path)) == f"{path}: has 4 lines; at most 3 are read: split the file"


@pytest.mark.parametrize("read", [F.read_text, lambda path: list(F.read_lines(path, errors="replace"))])
@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"\x1f\x8b\x08\0", "is compressed with gzip; unpack it"), (b"PK\3\4", "is a zip file; unpack it"),
     ("a,b".encode("utf-16"), "is text in UTF-16; save it as UTF-8"), (bytes(9), "is not text")],
)  # fmt: skip
def test_what_is_no_text_is_told_so(tmp_path, read, content, sentence):
    (tmp_path / "a").write_bytes(content)
    assert sentence in said(read, tmp_path / "a")


def test_a_file_that_is_too_large_is_not_opened(tmp_path):
    with open(tmp_path / "large.json", "wb") as file:
        file.truncate(65 * 2**20)  # a hole, which takes no room on the disk
    assert said(F.read_json, tmp_path / "large.json").endswith("has 65 MB; at most 64 MB are read")


def test_our_own_mistakes_stay_mistakes(tmp_path):
    with pytest.raises(TypeError), F.reading(tmp_path / "a", "a file"):
        raise TypeError("a bug")
    with pytest.raises(InputError, match="needs more memory than there is"), F.reading("a", "a file"):
        raise MemoryError
