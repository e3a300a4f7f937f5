"""YAML: people's numbers, words that stay words, no code, and messages that say where."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tetherlab.contracts.documents import parse_yaml, parse_yaml_lines, read_yaml, write_yaml
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
    assert parse_yaml_lines(text, "test")[1] == {
        ("a",): 1, ("b",): 2, ("b", "c"): 3, ("b", "c", 0): 3, ("b", "c", 1): 3,
        ("b", "d"): 4, ("b", "d", 0): 5, ("b", "d", 1): 6, ("b", "d", 1, "y"): 6,
    }  # fmt: skip
    assert parse_yaml_lines("", "test") == (None, {})


def test_aliases_of_aliases_do_not_take_for_ever():
    text = "a0: &a0 [1, 1]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
    with pytest.raises(
        InputError, match=r"^here: line \d+: aliases repeat more than 100000 keys and values$"
    ):
        parse_yaml(text, "here")


def test_a_few_aliases_are_as_good_as_what_they_repeat():
    assert parse_yaml("a: &x [1, {b: 2}]\nc: *x\nd: [*x, *x]\n", "here")["d"] == [[1, {"b": 2}]] * 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &a [1, *a]", "line 1: *a stands for something that it is part of"),
        ("a: *b", "line 1: nothing is marked &b before this"),
        ("[" * 20_000, "line 1: more than 50 lists and mappings in each other"),
        ("{a: " * 20_000, "line 1: more than 50 lists and mappings in each other"),
        ("- " * 20_000, "line 1: more than 50 lists and mappings in each other"),
        ("a: 1\n? [1, 2]\n: 3", "line 2: a key must be a word, not a list or mapping"),
        ("a: &x {b: 1}\n*x : 3", "line 2: a key must be a word, not a list or mapping"),
        ("a: !!int many", "line 1: !!int cannot be 'many'"),
        ("a: !!float [1]", "line 1: not valid YAML: could not determine a constructor for the tag "
         "'tag:yaml.org,2002:float'"),
        ("k" * 1000 + ": 1", "line 1: a key has 1000 characters; at most 200 are read"),
        ("a: 1\n---\nb: 2\n", "line 2: another document begins; a file holds one"),
        ("[" + "1," * 600_000 + "1]", "line 1: more than 500000 keys and values"),
        ("#" * (8 * 2**20 + 1), "has 8388609 characters; at most 8388608 are read"),
    ],
)  # fmt: skip
def test_what_would_cost_too_much_or_means_nothing_is_refused(text, said):
    with pytest.raises(InputError) as caught:
        parse_yaml(text, "here")
    assert str(caught.value) == f"here: {said}"


def test_whole_numbers_beyond_64_bits_are_floats():
    assert parse_yaml("9223372036854775807", "here") == 2**63 - 1
    assert type(parse_yaml("9223372036854775808", "here")) is float
    assert parse_yaml("-" + "9" * 5000, "here") == -math.inf


def test_a_mapping_of_many_keys_is_read_key_by_key():
    text = "".join(f"key{i}: {i}\n" for i in range(100_000))  # each beside all others would take an hour
    assert len(parse_yaml(text, "here")) == 100_000
