"""What a writer's replies must look like: a report's components, a note, a dialogue."""

from typing import Literal

from pydantic import BaseModel, Field

Seat = Literal["client", "counselor"]
Stage = Literal["reception", "diagnosis", "consultation", "consolidation"]
Topic = Literal[
    "self_growth", "emotion_stress", "education", "love_marriage", "family_relationship",
    "social_relationship", "sex", "career", "mental_disease",
]  # fmt: skip
School = Literal[
    "psychoanalytic", "cognitive_behavioral", "humanistic", "family", "postmodern", "integrative", "other"
]
MOST_TURNS = 200


class Components(BaseModel):
    """The six components of a report (CPsyCoun, Figure 5), its topic and its school; missing ones are empty."""

    title: str
    type: str
    method: str
    case_brief: str
    consultation_process: str
    experience_thoughts: str
    topic: Topic
    school: School


class Note(BaseModel):
    """The four parts of a counseling note (CPsyCoun, Figure 7); the plan is goals, techniques and steps."""

    client_basics: str
    problems: str
    goals: list[str]
    techniques: list[str]
    steps: list[str]
    reflections: str


class DialogueTurn(BaseModel):
    """One turn of a rebuilt dialogue and the stage it belongs to."""

    seat: Seat
    text: str = Field(min_length=1)
    stage: Stage


class Dialogue(BaseModel):
    """A dialogue rebuilt from a report; its form is judged by ``core.reports.checks``."""

    turns: list[DialogueTurn] = Field(min_length=1, max_length=MOST_TURNS)
