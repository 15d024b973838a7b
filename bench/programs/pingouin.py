import numpy as np
import pingouin
from pandas import DataFrame


def icc(x):
    table = pingouin.intraclass_corr(_long(x), targets="item", raters="judge", ratings="rating")
    return table.set_index("Type").loc["ICC(A,1)", "ICC"]


def kendall_w(x):
    """Its subjects are our judges: W of the order in which they put the items."""
    found = pingouin.friedman(_long(x), dv="rating", within="item", subject="judge")
    return found["W"].iloc[0]


def cronbach_alpha(x):
    return pingouin.cronbach_alpha(DataFrame(x))[0]


def spearman(x):
    return pingouin.corr(x[:, 0], x[:, 1], method="spearman")["r"].iloc[0]


def pearson(x):
    return pingouin.corr(x[:, 0], x[:, 1])["r"].iloc[0]


def _long(x):
    items, judges = x.shape
    return DataFrame(
        {
            "item": np.repeat(np.arange(items), judges),
            "judge": np.tile(np.arange(judges), items),
            "rating": x.ravel(),
        }
    )
