"""Automata: who owns a label can fire it, and a team can do what none of its members can."""

import itertools

import pytest

from tetherlab import InputError
from tetherlab.planning.automata import Event, FiniteAutomaton, join
from tetherlab.studies.cooperative_pictures import minimal_example

FIRST, SECOND = minimal_example()  # Figure 3 of paper 004


def test_what_needs_both_is_out_of_reach_of_each() -> None:
    assert FIRST.reachable() == {1, 2, 3, 6}
    assert SECOND.reachable() == {1, 2, 6}
    assert SECOND.dormant_events() == [Event(3, "d", 4), Event(4, "e", 5), Event(5, None, 6)]


def test_a_join_wakes_dormant_events() -> None:
    team = join(FIRST, SECOND)
    assert team.reachable() == {1, 2, 3, 4, 5, 6}
    assert team.dormant_events() == []
    assert team.accepts(["b", "d", "e"])
    assert not FIRST.accepts("bde") and not SECOND.accepts("bde")
    assert team.runs("bde") == [[1, 3, 4, 5], [1, 3, 4, 5, 6]]


def test_a_join_has_no_more_locations_than_its_members() -> None:
    team = join(FIRST, SECOND)
    assert len(team.locations) <= len(FIRST.locations) + len(SECOND.locations)
    assert team.labels == FIRST.labels | SECOND.labels


def test_a_join_does_not_depend_on_order_or_brackets() -> None:
    third = FiniteAutomaton(locations=[5, 7], events=[Event(5, "z", 7)], initial=(), final=7, labels={"z"})
    teams = [join(*members) for members in itertools.permutations([FIRST, SECOND, third])] + [
        join(join(FIRST, SECOND), third),
        join(FIRST, join(SECOND, third)),
        join(FIRST, FIRST, SECOND, third),
    ]
    for team in teams:
        assert team.locations == teams[0].locations and set(team.events) == set(teams[0].events)
        assert set(team.words(4)) == set(teams[0].words(4))


def test_a_borrowed_label_needs_an_owner() -> None:
    """The paper's common set of labels would let a team use a manipulator that is not there."""
    ugv = FiniteAutomaton(
        locations=[1, 2, 3], events=[Event(1, "a", 2), Event(2, "ζ", 3)], initial=1, final=3, labels={"a"}
    )
    arm = FiniteAutomaton(locations=[3], events=[], initial=(), final=3, labels={"ζ"})
    assert ugv.reachable() == {1, 2}
    assert ugv.dormant_events() == [Event(2, "ζ", 3)]
    assert not ugv.accepts(["a", "ζ"])
    assert join(ugv, arm).accepts(["a", "ζ"])


def test_words_are_those_that_are_accepted() -> None:
    team = join(FIRST, SECOND)
    accepted = {
        word
        for length in range(4)
        for word in itertools.product(sorted(team.labels), repeat=length)
        if team.accepts(word)
    }
    found = list(team.words(3))
    assert set(found) == accepted and len(found) == len(accepted)
    assert [len(word) for word in found] == sorted(len(word) for word in found)


def test_a_text_is_read_label_by_label() -> None:
    plan = FiniteAutomaton(
        locations=range(4),
        events=[Event(0, "δ", 1), Event(1, "γ'", 2), Event(2, "f'", 3)],
        initial=0,
        final=3,
        labels={"δ", "γ'", "f'"},
    )
    assert plan.accepts("δγ'f'") and plan.accepts("δ γ' f'") and plan.accepts(["δ", "γ'", "f'"])
    assert not plan.accepts("δγ'") and not plan.accepts("δγf")


def test_no_labels_are_accepted_where_it_starts_at_its_end() -> None:
    there = FiniteAutomaton(locations=["here"], events=[], initial="here", final="here", labels=())
    assert there.accepts([]) and there.reachable() == {"here"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"events": [Event(1, "a", 9)]}, "no location 9"),
        ({"initial": 5}, "initial"),
        ({"initial": [1, 5]}, "initial: no location 5"),
        ({"final": ["x"]}, "final: no location 'x'"),
        ({"events": [Event(1, "a", 2), Event(1, "a", 3)]}, "leads from 1 to more than one location"),
        ({"events": [(1, "a", 2)]}, "wants Event"),
        ({"events": [Event(1, "a", 2, guard="x > 0")]}, "for a HybridAutomaton"),
        ({"locations": []}, "at least one"),
        ({"labels": "ab"}, "labels must be a collection"),
        ({"lables": {"a"}}, "Did you mean 'labels'"),
    ],
)
def test_what_contradicts_itself_is_refused(change: dict[str, object], said: str) -> None:
    good: dict[str, object] = {
        "locations": [1, 2, 3], "events": [Event(1, "a", 2)], "initial": 1, "final": 2, "labels": {"a"},
    }  # fmt: skip
    FiniteAutomaton(**good)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        FiniteAutomaton(**(good | change))  # type: ignore[arg-type]


def test_a_join_that_contradicts_itself_is_refused() -> None:
    other = FiniteAutomaton(locations=[1, 3], events=[Event(1, "a", 3)], initial=1, labels={"a"})
    with pytest.raises(InputError, match="leads from 1 to more than one location"):
        join(FIRST, other)
    with pytest.raises(InputError, match="at least one"):
        join()
    with pytest.raises(InputError, match="wants automata"):
        join(FIRST, "second")  # type: ignore[arg-type]


def test_the_table_marks_what_is_dormant() -> None:
    lines = SECOND.table().splitlines()
    assert lines[0].split() == ["from", "label", "to"]
    assert lines[2].split() == ["3", "d", "4", "dormant"]
