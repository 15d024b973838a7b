import krippendorff


def alpha_nominal(x):
    return krippendorff.alpha(x.T, level_of_measurement="nominal")


def alpha_ordinal(x):
    return krippendorff.alpha(x.T, level_of_measurement="ordinal")


def alpha_interval(x):
    return krippendorff.alpha(x.T, level_of_measurement="interval")
