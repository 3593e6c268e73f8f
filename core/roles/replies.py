"""What a writing agent's replies must look like, one for each step of the chain."""

from pydantic import BaseModel, Field


class Demographics(BaseModel):
    """Five family situations and ten occupations, the chosen ones, and the persona made from them."""

    family_options: list[str] = Field(min_length=1)
    family_status: str
    occupation_options: list[str] = Field(min_length=1)
    occupation: str
    persona: str = Field(min_length=1)


class LifeEvents(BaseModel):
    """Kinds of events the person may have lived through."""

    events: list[str] = Field(min_length=1)


class Scenarios(BaseModel):
    """Ways in which one event may have happened."""

    scenarios: list[str] = Field(min_length=1)


class Compiled(BaseModel):
    """The role's text, in the second person."""

    text: str = Field(min_length=1)
