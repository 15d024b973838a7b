"""A guideline cycle of a study, played through by judges who become less different."""

from covary.design.make import make_plan
from covary.store import Answer
from covary.study.manual import Edition
from covary.training import (
    Agreed,
    Change,
    Changed,
    Finished,
    MovedOn,
    Proposed,
    Rated,
    Said,
    Stopped,
    begin,
    open_set,
)

JUDGES = ("Ann", "Bo", "Cy")

SENTENCES = (
    "1 is always the best rank, and the last rank the worst.",
    "A question that another sentence would answer as well is ambiguous.",
)


def rank(scale, judge, item, round_number, key):
    """Ann and Cy rank by the item; Bo turns the scale round in the first round on some items."""
    size = len(scale.categories)
    number = int(item.rsplit("-", 1)[1])
    base = (number + len(key)) % size
    if judge.startswith("Bo") and round_number == 1 and number % 2 and size > 2:
        base = size - 1 - base
    if judge.startswith("Cy") and number == 4 and size > 2:
        base = min(base + 1, size - 1)
    return scale.categories[base]


def play_round(study, training, number, judges=JUDGES):
    """Rate a training set and compare the ratings."""
    training.apply(open_set(study, number))
    for judge in judges:
        for item in study.training_set(number):
            ratings = {
                each.key: rank(each.scale, judge, item.id, number, each.key)
                for each in study.criteria
            }
            training.apply(Rated(judge, item.id, ratings, seconds=20.0))
        training.apply(Finished(judge))
    return training.apply(MovedOn("socialisation"))


def talk(training, sentence, judges=JUDGES):
    """Discuss every mark, accept one proposal, and write it into the manual."""
    cycle = training.cycle()
    marks = tuple(mark.key for mark in cycle.round.marks)
    for item, criterion in marks:
        for judge in judges[:2]:
            training.apply(Said(judge, item, criterion, f"{judge} on {item}: {sentence}"))
    training.apply(MovedOn("externalisation"))
    cycle = training.apply(Proposed(judges[0], sentence, marks))
    number = cycle.proposals[-1].number
    for judge in judges[1:]:
        training.apply(Agreed(judge, number, agrees=True))
    cycle = training.apply(MovedOn("combination"))
    edition = Edition(cycle.edition.criteria, f"{cycle.edition.guidelines}\n{sentence}\n")
    change = Change("rule", "what decides", sentence, (number,))
    return training.apply(Changed(judges[0], cycle.edition.version, edition, (change,)))


def play(study, store, judges=JUDGES):
    """Two whole rounds; the second ends by the rule."""
    training = store.training
    training.apply(begin(study, judges))
    play_round(study, training, 1, judges)
    talk(training, SENTENCES[0], judges)
    play_round(study, training, 2, judges)
    return training.apply(Stopped("rule"))


def evaluate(study, store, judges, version, *, wrong=()):
    """Let judges rate the whole evaluation under a manual; those in `wrong` turn some scales."""
    plan = make_plan(study, judges=len(judges))
    store.sheets.put(plan.sheets)
    for name in judges:
        judge, _ = store.judges.add(name)
        sheet = store.sheets.issue(judge.id)
        store.answers.save(
            [
                Answer(
                    judge=judge.id, sheet=sheet.number, position=task.position, item=task.item,
                    kind=task.kind, criterion=each.key, manual=version, page="p", seconds=10.0,
                    rating=rank(each.scale, "Bo" if name in wrong else name, task.item,
                                1 if name in wrong else 2, each.key),
                    sequence=1, key=f"{task.position}-{each.key}",
                )
                for task in sheet.tasks for each in study.criteria
            ]
        )  # fmt: skip
