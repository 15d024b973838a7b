"""The signs of TeX that formulas are drawn with, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


def _named(table: str) -> dict[str, str]:
    words = table.split()
    return dict(zip(words[::2], words[1::2], strict=True))


LETTERS = _named("""
    alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
    kappa κ varkappa ϰ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ
    varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
    Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
    infty ∞ partial ∂ nabla ∇ emptyset ∅ varnothing ∅ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ wp ℘
    imath ı jmath ȷ forall ∀ exists ∃ nexists ∄ top ⊤ bot ⊥ angle ∠ triangle △ square □
    blacksquare ■ Box □ degree ° checkmark ✓ clubsuit ♣ diamondsuit ♢ heartsuit ♡ spadesuit ♠
    % % # # $ $ & & _ _
""")
"""What stands for a thing."""

UPRIGHT = frozenset("ΓΔΘΛΞΠΣΥΦΨΩ∞∅ℏℓℜℑℵ∀∃∄⊤⊥∠△□■°✓♣♢♡♠%#$&_∇")
"""Of these, what is never slanted."""

OPERATORS = _named("""
    pm ± mp ∓ times × div ÷ cdot ⋅ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙
    oslash ⊘ wedge ∧ land ∧ vee ∨ lor ∨ neg ¬ lnot ¬ cup ∪ cap ∩ sqcup ⊔ sqcap ⊓ uplus ⊎ setminus ∖
    backslash ∖ amalg ⨿ dagger † ddagger ‡ wr ≀ diamond ⋄ bmod mod mod mod
    leq ≤ le ≤ leqslant ⩽ geq ≥ ge ≥ geqslant ⩾ neq ≠ ne ≠ lt < gt > ll ≪ gg ≫ lesssim ≲ gtrsim ≳
    approx ≈ approxeq ≊ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ asymp ≍ doteq ≐ triangleq ≜ coloneqq ≔
    prec ≺ succ ≻ preceq ⪯ succeq ⪰ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ supsetneq ⊋
    in ∈ notin ∉ ni ∋ models ⊨ vdash ⊢ dashv ⊣ vDash ⊨ perp ⟂ parallel ∥ nparallel ∦ mid ∣ nmid ∤
    to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔
    implies ⟹ impliedby ⟸ iff ⟺ mapsto ↦ longmapsto ⟼ longrightarrow ⟶ longleftarrow ⟵
    Longrightarrow ⟹ Longleftarrow ⟸ Longleftrightarrow ⟺ longleftrightarrow ⟷ hookrightarrow ↪
    hookleftarrow ↩ twoheadrightarrow ↠ rightharpoonup ⇀ rightleftharpoons ⇌ leadsto ⇝
    rightsquigarrow ⇝ uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓
    nearrow ↗ searrow ↘ nwarrow ↖ swarrow ↙ ldots … dots … dotsc … dotsb ⋯ dotso …
    cdots ⋯ vdots ⋮ ddots ⋱ colon : therefore ∴ because ∵
    prime ′ ltimes ⋉ rtimes ⋊ bowtie ⋈ trianglelefteq ⊴ triangleleft ◃ triangleright ▹ QED ∎
""")
"""What stands between things."""

LARGE = _named("""
    sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigodot ⨀ bigvee ⋁ bigwedge ⋀
    bigsqcup ⨆ biguplus ⨄
""")
INTEGRALS = _named("int ∫ iint ∬ iiint ∭ oint ∮ oiint ∯")

FUNCTIONS = _named("""
    sin sin cos cos tan tan cot cot sec sec csc csc arcsin arcsin arccos arccos arctan arctan
    sinh sinh cosh cosh tanh tanh coth coth log log ln ln lg lg exp exp arg arg deg deg dim dim
    hom hom ker ker
""")
LIMITS = {
    **_named("""
        lim lim max max min min sup sup inf inf det det gcd gcd Pr Pr argmax argmax argmin argmin
    """),
    "limsup": "lim\u2009sup",
    "liminf": "lim\u2009inf",
}
"""Functions that say below what they run over."""

NEGATED = _named("""
    = ≠ < ≮ > ≯ in ∉ ni ∌ equiv ≢ approx ≉ sim ≁ cong ≇ subset ⊄ supset ⊅ subseteq ⊈ supseteq ⊉
    leq ≰ le ≰ geq ≱ ge ≱ exists ∄ mid ∤ parallel ∦ models ⊭ vdash ⊬
""")

PLAIN = {
    **{sign: sign for sign in "+=<>/:,;!?.()[]|"},
    "-": "−",
    "*": "∗",
}
"""Signs that stand for themselves."""

CLASSED = {
    "boxed": "boxed",
    "cancel": "cancelled",
    "overline": "overlined",
    "underline": "underlined",
}
"""What the stylesheet draws around a thing."""

SPACES = {
    ",": "0.1667em",
    "thinspace": "0.1667em",
    ":": "0.2222em",
    ">": "0.2222em",
    "medspace": "0.2222em",
    ";": "0.2778em",
    "thickspace": "0.2778em",
    "!": "0em",
    " ": "0.25em",
    "\n": "0.25em",
    "space": "0.25em",
    "enspace": "0.5em",
    "quad": "1em",
    "qquad": "2em",
    "nonumber": "0em",
    "notag": "0em",
}

DELIMITERS = {
    "{": "{",
    "}": "}",
    "lbrace": "{",
    "rbrace": "}",
    "lbrack": "[",
    "rbrack": "]",
    "langle": "⟨",
    "rangle": "⟩",
    "lfloor": "⌊",
    "rfloor": "⌋",
    "lceil": "⌈",
    "rceil": "⌉",
    "|": "‖",
    "Vert": "‖",
    "lVert": "‖",
    "rVert": "‖",
    "vert": "|",
    "lvert": "|",
    "rvert": "|",
}
BRACKETS = {
    **{sign: sign for sign in "()[]|/"},
    ".": "",
    "<": "⟨",
    ">": "⟩",
    "uparrow": "↑",
    "downarrow": "↓",
    "backslash": "∖",
}
"""What else may stand after `left`, `right` and `big`."""

SIZES = {
    f"{size}{side}": height
    for size, height in {"big": "1.2em", "Big": "1.8em", "bigg": "2.4em", "Bigg": "3em"}.items()
    for side in ("", "l", "r", "m")
}

STYLES: Mapping[str, Mapping[str, str]] = {
    "\\displaystyle": {"displaystyle": "true"},
    "\\textstyle": {"displaystyle": "false"},
    "\\scriptstyle": {"displaystyle": "false", "scriptlevel": "1"},
}

TEXTS = {
    "text": "",
    "textrm": "",
    "textnormal": "",
    "mbox": "",
    "hbox": "",
    "textbf": "bold",
    "textit": "italic",
    "emph": "italic",
    "texttt": "fixed",
}
"""Words within a formula, with how they look."""


@dataclass(frozen=True, kw_only=True)
class Accent:
    """A mark over a thing; a wide one reaches over the whole of it."""

    mark: str
    wide: bool = False


ACCENTS = {
    "hat": Accent(mark="^"),
    "check": Accent(mark="ˇ"),
    "tilde": Accent(mark="~"),
    "bar": Accent(mark="¯"),
    "vec": Accent(mark="→"),
    "dot": Accent(mark="˙"),
    "ddot": Accent(mark="¨"),
    "acute": Accent(mark="´"),
    "grave": Accent(mark="`"),
    "breve": Accent(mark="˘"),
    "mathring": Accent(mark="˚"),
    "widehat": Accent(mark="^", wide=True),
    "widetilde": Accent(mark="~", wide=True),
    "overrightarrow": Accent(mark="→", wide=True),
    "overleftarrow": Accent(mark="←", wide=True),
}
BRACES = {"overbrace": ("mover", "⏞"), "underbrace": ("munder", "⏟")}


@dataclass(frozen=True, kw_only=True)
class Environment:
    """A table of TeX: its fences, its columns as TeX's letters in turn, and its look."""

    look: str = "matrix"
    fences: tuple[str, str] = ("", "")
    columns: str = ""
    given: bool = False
    display: bool = False


_ALIGNED = Environment(look="aligned", columns="rl", display=True)
_GATHERED = Environment(look="aligned", columns="c", display=True)
ENVIRONMENTS = {
    "matrix": Environment(),
    "smallmatrix": Environment(),
    "pmatrix": Environment(fences=("(", ")")),
    "bmatrix": Environment(fences=("[", "]")),
    "Bmatrix": Environment(fences=("{", "}")),
    "vmatrix": Environment(fences=("|", "|")),
    "Vmatrix": Environment(fences=("‖", "‖")),
    "array": Environment(given=True),
    "cases": Environment(look="cases", fences=("{", ""), columns="l"),
    "dcases": Environment(look="cases", fences=("{", ""), columns="l", display=True),
    "rcases": Environment(look="cases", fences=("", "}"), columns="l"),
    "aligned": _ALIGNED,
    "align": _ALIGNED,
    "split": _ALIGNED,
    "eqnarray": Environment(look="aligned", columns="rcl", display=True),
    "gathered": _GATHERED,
    "gather": _GATHERED,
    "multline": _GATHERED,
    "equation": _GATHERED,
    "displaymath": _GATHERED,
}

LATIN_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LATIN_SMALL = LATIN_CAPITALS.lower()
GREEK_CAPITALS = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡϴΣΤΥΦΧΨΩ∇"
GREEK_SMALL = "αβγδεζηθικλμνξοπρςστυφχψω∂ϵϑϰϕϱϖ"


def _run(letters: str, first: int) -> dict[str, str]:
    return {letter: chr(first + place) for place, letter in enumerate(letters)}


_SCRIPT = {
    **_run(LATIN_CAPITALS, 0x1D49C),
    **_run(LATIN_SMALL, 0x1D4B6),
    **dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True)),
}
_BOLD = {
    **_run(LATIN_CAPITALS, 0x1D400),
    **_run(LATIN_SMALL, 0x1D41A),
    **_run(GREEK_CAPITALS, 0x1D6A8),
    **_run(GREEK_SMALL, 0x1D6C2),
    **_run("0123456789", 0x1D7CE),
}
_BOLD_ITALIC = {
    **_BOLD,
    **_run(LATIN_CAPITALS, 0x1D468),
    **_run(LATIN_SMALL, 0x1D482),
    **_run(GREEK_SMALL, 0x1D736),
}
ALPHABETS: Mapping[str, Mapping[str, str]] = {
    "mathbb": {
        **_run(LATIN_CAPITALS, 0x1D538),
        **_run(LATIN_SMALL, 0x1D552),
        **_run("0123456789", 0x1D7D8),
        **dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    },
    "mathcal": _SCRIPT,
    "mathscr": _SCRIPT,
    "mathfrak": {
        **_run(LATIN_CAPITALS, 0x1D504),
        **_run(LATIN_SMALL, 0x1D51E),
        **dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
    },
    "mathbf": _BOLD,
    "boldsymbol": _BOLD_ITALIC,
    "bm": _BOLD_ITALIC,
    "mathsf": {**_run(LATIN_CAPITALS, 0x1D5A0), **_run(LATIN_SMALL, 0x1D5BA)},
    "mathtt": {**_run(LATIN_CAPITALS, 0x1D670), **_run(LATIN_SMALL, 0x1D68A)},
    "mathrm": {},
    "mathit": {},
    "mathnormal": {},
}
"""Letters of other faces, as Unicode has them."""
