"""YAML: people's numbers, words that stay words, no code, and messages that say where."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tetherlab.contracts.documents import lines_of, parse_yaml, read_yaml, write_yaml
from tetherlab.contracts.errors import InputError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e4", 1e4),
        ("1.0e4", 1e4),
        ("-2E-3", -2e-3),
        (".5", 0.5),
        ("+3.", 3.0),
        ("010", 10),
        ("-7", -7),
        (".inf", math.inf),
        ("on", "on"),
        ("yes", "yes"),
        ("no", "no"),
        ("10:30", "10:30"),
        ("2024-06-01", "2024-06-01"),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("'1e4'", "1e4"),
        ("e4", "e4"),
        ("1e", "1e"),
    ],
)
def test_a_word_is_read_as_people_write_it(text, value):
    result = parse_yaml(f"key: {text}", "test")["key"]
    assert result == value
    assert type(result) is type(value)


def test_not_a_number_is_a_float():
    assert math.isnan(parse_yaml(".nan", "test"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "here: line 3: 'a' is written twice; keep one"),
        ("outer:\n  a: 1\n  a: 1\n", "here: line 3: 'a' is written twice; keep one"),
        ("a: [1, 2\nb: 3\n", "here: line 2: not valid YAML: expected ',' or ']', but got ':'"),
        ("a: !!python/object/apply:os.getcwd []", "here: line 1: not valid YAML: could not determine a "
         "constructor for the tag 'tag:yaml.org,2002:python/object/apply:os.getcwd'"),
    ],
)  # fmt: skip
def test_bad_text_is_answered_with_name_and_line(text, message):
    with pytest.raises(InputError) as caught:
        parse_yaml(text, "here")
    assert str(caught.value) == message


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.yaml: no such file$"):
        read_yaml(tmp_path / "nothing.yaml")


def test_a_file_that_is_not_text_is_named(tmp_path):
    path = tmp_path / "bytes.yaml"
    path.write_bytes(b"a: \xff\xfe")
    with pytest.raises(InputError, match=r"bytes\.yaml: cannot be read as text: "):
        read_yaml(path)


words = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=12)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


@given(value=plain)
@example(value={"name": "1e4"})
def test_what_is_written_is_read_back(value, tmp_path_factory):
    path = tmp_path_factory.mktemp("yaml") / "value.yaml"
    write_yaml(value, path)
    assert read_yaml(path) == value


def test_keys_are_written_in_the_given_order(tmp_path):
    path = tmp_path / "order.yaml"
    write_yaml({"b": 1, "a": {"d": 2, "c": 3}}, path)
    assert path.read_text(encoding="utf-8").split() == ["b:", "1", "a:", "d:", "2", "c:", "3"]


def test_points_stand_on_one_line_and_what_occurs_twice_is_written_twice(tmp_path):
    point = [1.0, 2.5, -3]
    write_yaml({"a": point, "b": [{"c": point}]}, tmp_path / "points.yaml")
    assert (tmp_path / "points.yaml").read_text() == "a: [1.0, 2.5, -3]\nb:\n- c: [1.0, 2.5, -3]\n"


def test_a_comment_stands_above_and_is_not_read(tmp_path):
    write_yaml({"a": 1}, tmp_path / "a.yaml", comment="tetherlab 1\nseed: 3")
    assert (tmp_path / "a.yaml").read_text().startswith("# tetherlab 1\n# seed: 3\na: 1")
    assert read_yaml(tmp_path / "a.yaml") == {"a": 1}


def test_every_key_and_item_has_its_line():
    text = "a: 1\nb:\n  c: [1, 2]\n  d:\n    - x\n    - {y: 3}\n"
    assert lines_of(text) == {
        ("a",): 1, ("b",): 2, ("b", "c"): 3, ("b", "c", 0): 3, ("b", "c", 1): 3,
        ("b", "d"): 4, ("b", "d", 0): 5, ("b", "d", 1): 6, ("b", "d", 1, "y"): 6,
    }  # fmt: skip
    assert lines_of("") == {}


def test_aliases_of_aliases_do_not_take_for_ever():
    text = "a0: &a0 [1, 1]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
    assert lines_of(text)["a39",] == 40
