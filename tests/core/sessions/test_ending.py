"""A session ends when both have said goodbye, and not before."""

import random
from typing import Any

import pytest

from core.errors import DataError
from core.sessions import detector, ending

FILLER = ["How are you?", "Not well.", "Tell me more.", "My job is gone.", "I hear you."]


def talk(*lines: str) -> list[dict[str, Any]]:
    """Turns from lines, the counselor first."""
    return [
        {"position": n, "seat": "client" if n % 2 == 0 else "counselor", "text": line}
        for n, line in enumerate(lines, 1)
    ]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Thank you, goodbye.", "Take care. See you next week."),
        ("Thanks, that helps. Bye!", "You're welcome."),
        ("I’ll see you then.", "See you next week, bye."),
        ("Let's stop here for today.", "Thank you so much."),
        ("好的，谢谢您，再见。", "再见，祝您一切顺利。"),
        ("谢谢老师。", "不客气，我们下次再聊。"),
        ("今天就聊到这里吧。", "好的，谢谢您。"),
    ],
)
def test_two_farewells_close(earlier: str, later: str) -> None:
    assert ending.closes(earlier, later)
    assert ending.ended(talk(*FILLER, earlier, later))
    assert not ending.ended(talk(earlier, later)), "never in the first utterances"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("He never said goodbye.", "That must have hurt. Thank you for telling me."),
        ("I have to take care of my mother.", "That is a lot. Thank you."),
        ("I see you are busy.", "Go on."),
        ("Bye for now?", "Bye. Are you sure?"),
        ("I never get a good night.", "Thank you for telling me."),
        ("I should take care of myself.", "Thank you for saying that."),
        ("我没能和他说再见。", "谢谢您愿意告诉我。"),
        ("我想学会照顾好自己。", "谢谢您的分享。"),
        ("我今天到这里来是因为失眠。", "谢谢您来。"),
        ("真希望能再见到她。", "谢谢您告诉我。"),
    ],
)
def test_words_that_only_look_like_farewells_do_not(earlier: str, later: str) -> None:
    assert not ending.closes(earlier, later)


def test_what_comes_after_the_ending_is_cut_for_the_judge() -> None:
    turns = talk(*FILLER, "Thank you, goodbye.", "Take care.", "Bye.", "Bye bye.")
    assert ending.cut_at(turns) == 7
    assert ending.cut_at(turns[:7]) is None and ending.cut_at(turns[:5]) is None


def dialogues(n: int) -> dict[int, list[dict[str, Any]]]:
    rng = random.Random(1)
    topics = ["my job", "the exam", "our son", "money", "sleep"]
    lines = ["I worry about {}.", "What about {} is hard?", "It began with {}.", "How is {} today?"]
    ends = [("Thanks, goodbye.", "Take care, and talk soon."), ("Thank you. Bye.", "See you later.")]
    return {
        i: talk(
            *(rng.choice(lines).format(rng.choice(topics)) for _ in range(rng.randint(7, 11))),
            *rng.choice(ends),
        )
        for i in range(n)
    }


def test_the_trained_detector_finds_endings_of_sessions_it_never_saw() -> None:
    made = dialogues(40)
    training, testing = detector.split(list(made), seed=3)
    assert training & testing == set() and training | testing == set(made)
    trained = detector.train(made, training)
    labels, said = [], []
    for session in testing:
        turns = made[session]
        for at in range(1, len(turns)):
            labels.append(detector.weak_label(turns, at))
            said.append(trained.chance(turns[at - 1]["text"], turns[at]["text"]) >= detector.THRESHOLD)
    found = detector.score(labels, said)
    assert found.precision > 0.9 and found.recall > 0.7
    again = detector.from_json(detector.to_json(trained))
    assert again.chance("Thanks, bye.", "See you later.") == trained.chance("Thanks, bye.", "See you later.")


def test_own_scoring_is_scikit_learns() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    made = dialogues(20)
    trained = detector.train(made, set(made))
    windows = [(s, at) for s in sorted(made) for at in range(1, len(made[s]))]
    texts = [detector.window(made[s][at - 1]["text"], made[s][at]["text"]) for s, at in windows]
    vectors = TfidfVectorizer(analyzer=detector.ngrams, max_df=0.4, min_df=2)
    model = LogisticRegression(max_iter=1000).fit(
        vectors.fit_transform(texts), [detector.weak_label(made[s], at) for s, at in windows]
    )
    for earlier, later in [
        ("Thanks, goodbye.", "Talk soon."),
        ("I worry about money.", "How is sleep today?"),
    ]:
        text = detector.window(earlier, later)
        theirs = model.predict_proba(vectors.transform([text]))[0, 1]
        assert trained.chance(earlier, later) == pytest.approx(theirs, abs=1e-9)


def test_stop_words_erase_see_you_and_are_kept_by_default() -> None:
    assert "see you" in detector.ngrams("See you!")
    assert detector.ngrams("See you!", stop_words=True) == []
    assert "再 见" in detector.ngrams("再见") and "i'll" in detector.ngrams("I’ll go")


def test_weak_labels_need_whole_words_and_a_late_place() -> None:
    late = talk(*FILLER, "I am fine.", "A bystander said goodbyes", "it’s nothing, bye")
    assert detector.weak_label(late, 7) and not detector.weak_label(late, 6)
    assert not detector.weak_label(talk("Hi", "bye"), 1)


def test_too_little_to_train_on_is_said() -> None:
    with pytest.raises(DataError, match="too few to train on"):
        detector.train(dialogues(3), {0, 1, 2})
