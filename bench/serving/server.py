"""covary's server as `covary serve` starts it, but without the limit of pace for each judge.

`python -m serving.server FOLDER DATABASE PORT`: a simulated judge answers faster than a person may.
"""

import sys

from covary.store import Store
from covary.study import read_study
from covary.web.guard import Limit
from covary.web.serving.server import serve

UNLIMITED = Limit(per_second=1e9, burst=1_000_000_000)

if __name__ == "__main__":
    folder, database, port = sys.argv[1:]
    with Store.open(database, serving=True) as store:
        serve(read_study(folder), store, port=int(port), per_judge=UNLIMITED)
