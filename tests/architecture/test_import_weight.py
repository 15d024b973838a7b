"""`import covary` loads next to nothing, its names no heavy library, and `--help` no command."""

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import covary
from covary.formats import FORMATS

HEAVY = (
    "scipy.stats",
    "matplotlib",
    "starlette",
    "uvicorn",
    "sqlalchemy",
    "duckdb",
    "pandas",
    "polars",
    "pyarrow",
)

SCRIPT = """
import sys
sys.path[:0] = {folders!r}
import covary
for name in getattr(covary, "__all__", ()):
    getattr(covary, name)
print(*sorted(set({heavy!r}) & sys.modules.keys()))
"""


def run(script: str) -> list[str]:
    """The words that a fresh Python prints."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def loaded_by_import(*folders: Path) -> list[str]:
    """The heavy modules that a fresh Python has loaded with every public name of covary."""
    return run(SCRIPT.format(folders=[str(folder) for folder in folders], heavy=HEAVY))


def own_modules(script: str) -> set[str]:
    """The modules of covary that a script has loaded at its end."""
    lines = run(f"import sys\n{script}\nprint(*sys.modules)")
    return {name for name in lines if name.split(".")[0] == "covary"}


def test_importing_covary_and_all_its_names_loads_no_heavy_library():
    assert loaded_by_import() == []


def test_importing_covary_loads_nothing_but_its_version():
    assert own_modules("import covary") == {"covary", "covary.version"}
    assert "numpy" not in run("import sys, covary; print(*sys.modules)")


def number_of_modules(script: str) -> int:
    """How many modules a script has loaded at its end."""
    lines = run(f"import sys\n{script}\nprint('modules', len(sys.modules))")
    return int(lines[lines.index("modules") + 1])


def test_importing_covary_costs_no_more_than_half_again_what_it_is_built_on():
    bare, built_on = number_of_modules("pass"), number_of_modules("import numpy, narwhals, click")
    assert number_of_modules("import covary") - bare <= 1.5 * (built_on - bare)


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_the_version_and_the_help_load_little_more_than_click(option):
    click = number_of_modules("import click")
    loaded = number_of_modules(f"from covary.cli import main; main([{option!r}])")
    assert loaded - click < 60


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_the_version_and_the_help_load_no_command(option):
    rooms = {"errors", "records", "words", "version", "cli"}
    modules = own_modules(f"from covary.cli import main; main([{option!r}])")
    assert {name.split(".")[1] for name in modules if "." in name} == rooms
    assert {name for name in modules if name.startswith("covary.cli.")} == {
        f"covary.cli.{name}" for name in ("entry", "command_group", "screen")
    }


def test_a_plain_table_loads_no_format_of_a_tool(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text("item,judge,rating\nq1,Ann,4\nq1,Bo,5\nq2,Ann,1\nq2,Bo,1\n", encoding="utf-8")
    loaded = own_modules(f"from covary.cli import main; main(['check', {str(file)!r}])")
    modules = {f"covary.formats.{form.module}" for form in FORMATS}
    assert modules & loaded == {"covary.formats.long", "covary.formats.wide"}


def test_type_checkers_and_python_find_every_public_name_in_the_same_place():
    *lines, names = stub()
    public = ast.literal_eval(names.value)
    assert {*public} ^ {*covary.__all__} == set(), "name these in __all__ of __init__.pyi, too"
    imports = {
        name.name: line.module
        for line in lines
        if isinstance(line, ast.ImportFrom)
        for name in line.names
        if name.name in public
    }
    assert (imports.pop("datasets"), imports.pop("__version__")) == ("covary", "covary.version")
    spelt = {line.name for line in lines if isinstance(line, ast.FunctionDef)}
    wanted = {name: home for name, home in covary._HOMES.items() if name not in spelt}
    assert {*imports} ^ {*wanted} == set(), "give these a signature or an import in __init__.pyi"
    assert imports == wanted


def stub():
    path = Path(covary.__file__).with_suffix(".pyi")
    return ast.parse(path.read_text("utf-8")).body[1:]


def test_signatures_for_completion_have_the_keywords_of_the_functions_and_no_any():
    spelt = {line.name: line for line in stub() if isinstance(line, ast.FunctionDef)}
    taking_any = [n for n, h in covary._HOMES.items() if h.startswith("covary.stats.coefficients")]
    assert {*taking_any, *covary._OF_RATINGS, "read", "table"} == set(spelt)
    for name in (*taking_any, *covary._OF_RATINGS):
        real = inspect.signature(getattr(import_module(covary._HOMES[name]), name)).parameters
        own = {p.name for p in real.values() if p.kind is p.KEYWORD_ONLY}
        assert {argument.arg for argument in spelt[name].args.kwonlyargs} == own, name
    for name, line in spelt.items():
        assert "Any" not in {n.id for n in ast.walk(line) if isinstance(n, ast.Name)}, name


def test_no_public_name_is_a_room_as_well():
    rooms = {path.stem for path in Path(covary.__file__).parent.iterdir()}
    assert rooms & set(covary.__all__) == {"datasets"}
    assert run(
        "import covary.reports.blocks as blocks; import covary; print(covary.report.__name__)"
    ) == ["report"]


def test_a_name_that_is_not_there_is_missed():
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = covary.nonsense


def test_a_heavy_library_loaded_by_a_module_below_is_found(made_up, tmp_path):
    made_up({"__init__.py": "from . import ratings", "ratings.py": "import duckdb"})
    (tmp_path / "duckdb.py").write_text("")
    assert loaded_by_import(tmp_path) == ["duckdb"]
