"""Two processes of one study: neither counts too little, whoever commits first."""

from concurrent.futures import ThreadPoolExecutor

from covary.store import Store
from tests.store.made_up import answer, sheets


def test_what_another_process_saves_is_counted_whichever_of_the_two_is_first(place):
    """Numbers grow in the order of the commits, also where two processes save at once."""
    with Store.open(place) as one, Store.open(place) as other:
        one.sheets.put(sheets(2))
        for judge in (1, 2):
            assert one.sheets.issue(one.judges.add()[0].id).number == judge
        rounds, each = 15, 8

        def save(store, judge):
            for n in range(1, rounds * each + 1):
                store.answers.save([answer(3, judge=judge, sheet=judge, position=n)])

        with ThreadPoolExecutor(2) as pool:
            work = [pool.submit(save, store, judge) for store, judge in ((one, 1), (other, 2))]
            while not all(done.done() for done in work):
                one.answers.counts()  # counts what is new, and never looks back
                other.answers.counts()
        for done in work:
            done.result()
        for store in (one, other):
            counts = store.answers.counts()
            assert counts.answers == 2 * rounds * each
            given = [counts.judges[judge, judge].answered for judge in (1, 2)]
            assert given == [rounds * each] * 2
