"""What all sections of a scenario share: written keys, no unknown ones, and problems said in one sentence."""

from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator

from tetherlab.contracts.check import did_you_mean
from tetherlab.scenario.problems import refuse, sentence, worth_saying
from tetherlab.scenario.quantity import in_words, is_unit, unit_of


class Section(BaseModel):
    """A mapping of a scenario file. Attributes are SI without unit; the written key carries it.

    Bounds and defaults of a field are those of the written number.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    # Keys that are replaced by others before a section is read, with what they mean.
    shorthand: ClassVar[dict[str, str]] = {}

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Give every field its written key."""
        for name, field in cls.model_fields.items():
            unit = unit_of(field)
            written = name if unit is None else unit.written(name)
            if field.alias is None:
                field.alias = field.validation_alias = field.serialization_alias = written
        cls.model_rebuild(force=True)

    @model_validator(mode="wrap")
    @classmethod
    def _say_problems(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except ValidationError as error:
            refuse(
                (
                    item["loc"],
                    cls._unknown_key(*item["loc"]) if item["type"] == "extra_forbidden" else sentence(item),
                )
                for item in worth_saying(error.errors(include_url=False))
            )

    @classmethod
    def _written_keys(cls) -> list[str]:
        """All keys that a file may use here."""
        return [str(field.alias) for field in cls.model_fields.values()] + list(cls.shorthand)

    @classmethod
    def _unknown_key(cls, key: Any) -> str:
        """A sentence about a key that is not known: a forgotten unit, another unit, or a slip."""
        for name, field in cls.model_fields.items():
            ending = str(key).removeprefix(f"{name}_")
            if key == name or (ending != key and is_unit(ending)):
                unit = unit_of(field)
                if unit is None:
                    return f"unknown key. Write {name!r}, it has no unit"
                return f"unknown key. Write {unit.written(name)!r}, in {in_words(unit.symbol)}"
        return f"unknown key.{did_you_mean(str(key), cls._written_keys())}"
