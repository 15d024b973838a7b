"""The answers that people give in words: each family from low to high, and yes and no.

A line holds the spellings of one answer; a blank line stands between families.
"""

YES = "yes y true t ja j oui o si sí s sim da tak hai 是 はい 예 да correct 1 ✓ ✔ ✅ x 👍"
NO = "no n false f nein non não nao nie net ne nei iie 否 いいえ 아니요 нет incorrect 0 ✗ ✘ ❌ 👎"

FAMILIES = """
strongly disagree | disagree strongly | completely disagree | totally disagree
disagree
somewhat disagree | slightly disagree | rather disagree
neutral | neither agree nor disagree | neither | undecided | neither disagree nor agree
somewhat agree | slightly agree | rather agree
agree
strongly agree | agree strongly | completely agree | totally agree

sd
d
n
a
sa

very poor | very bad | terrible | awful | horrible
poor | bad
below average
fair | average | ok | okay | acceptable | medium | moderate | neutral | so so
above average
good
very good | great
excellent | outstanding
perfect

incomprehensible
disfluent | disfluent english
non native | non native english
good | good english
flawless | flawless english

none | no meaning
little | little meaning
much | much meaning
most | most meaning
all | all meaning

very difficult | very hard
difficult | hard
neutral | neither easy nor difficult
easy
very easy

very low
low
medium | moderate
high
very high

never
rarely | seldom
sometimes | occasionally
often | frequently
very often | usually
always

not at all
slightly | a little
somewhat | moderately
very | quite
extremely | completely

very dissatisfied
dissatisfied
somewhat dissatisfied
neutral | neither satisfied nor dissatisfied
somewhat satisfied
satisfied
very satisfied

very unlikely | extremely unlikely
unlikely
neutral | neither likely nor unlikely
likely
very likely | extremely likely

much worse
worse
slightly worse
about the same | same | equal | tie
slightly better
better
much better

stimme überhaupt nicht zu | stimme gar nicht zu
stimme nicht zu | lehne ab
stimme eher nicht zu
neutral | teils teils | weder noch | unentschieden
stimme eher zu
stimme zu
stimme voll zu | stimme voll und ganz zu | stimme völlig zu

trifft überhaupt nicht zu | trifft gar nicht zu
trifft nicht zu
trifft eher nicht zu
teils teils | weder noch | neutral | unentschieden
trifft eher zu
trifft zu
trifft voll zu | trifft voll und ganz zu | trifft völlig zu

sehr schlecht
schlecht
eher schlecht
mittel | mittelmäßig | befriedigend | ausreichend | ok | okay | teils teils
eher gut
gut
sehr gut
ausgezeichnet | hervorragend

ungenügend
mangelhaft
ausreichend
befriedigend
gut
sehr gut

nie
selten
manchmal | gelegentlich
oft | häufig
sehr oft
immer

pas du tout d'accord | tout à fait en désaccord
pas d'accord | en désaccord
plutôt pas d'accord
neutre | ni d'accord ni pas d'accord | ni en accord ni en désaccord
plutôt d'accord
d'accord
tout à fait d'accord

très mauvais | très mauvaise
mauvais | mauvaise
moyen | moyenne | passable
bon | bonne | bien
très bon | très bonne | très bien
excellent | excellente

très mal
mal
passable | moyen | moyennement | correct
assez bien
bien
très bien

jamais
rarement
parfois
souvent
toujours

totalmente en desacuerdo | muy en desacuerdo
en desacuerdo
neutral | ni de acuerdo ni en desacuerdo | indeciso
de acuerdo
totalmente de acuerdo | muy de acuerdo

muy malo | muy mala | pésimo | pésima
malo | mala
regular
bueno | buena
muy bueno | muy buena
excelente

muy mal
mal
regular
bien
muy bien

nunca
casi nunca | rara vez | raramente
a veces | algunas veces
a menudo | frecuentemente | casi siempre
siempre

totalmente in disaccordo | per niente d'accordo | fortemente in disaccordo
in disaccordo | non d'accordo
neutrale | né d'accordo né in disaccordo | indeciso
d'accordo
molto d'accordo | totalmente d'accordo | completamente d'accordo | fortemente d'accordo

pessimo | molto scarso
scarso
sufficiente
discreto
buono
ottimo | eccellente

helemaal mee oneens | helemaal oneens
mee oneens | oneens
neutraal
mee eens | eens
helemaal mee eens | helemaal eens

discordo totalmente
discordo
discordo parcialmente
neutro | nem concordo nem discordo | não concordo nem discordo
concordo parcialmente
concordo
concordo totalmente

zdecydowanie się nie zgadzam
nie zgadzam się | raczej się nie zgadzam
nie mam zdania | ani się zgadzam ani się nie zgadzam
zgadzam się | raczej się zgadzam
zdecydowanie się zgadzam

полностью не согласен | совершенно не согласен
не согласен
скорее не согласен
нейтрально
скорее согласен
согласен
полностью согласен | совершенно согласен

kesinlikle katılmıyorum
katılmıyorum
kararsızım
katılıyorum
kesinlikle katılıyorum

非常不同意 | 完全不同意 | 强烈不同意 | 強烈不同意
不同意
有点不同意 | 比较不同意
一般 | 中立 | 不确定 | 不確定 | 普通
有点同意 | 比较同意
同意
非常同意 | 完全同意 | 强烈同意 | 強烈同意

很差 | 非常差
差 | 较差
一般 | 中等
好 | 较好
很好 | 非常好

非常不满意 | 很不满意
不满意
一般
满意
非常满意 | 很满意

全くそう思わない | まったくそう思わない
そう思わない
あまりそう思わない
どちらともいえない | どちらでもない
ややそう思う | 少しそう思う
そう思う
とてもそう思う | 強くそう思う | 非常にそう思う

非常に悪い | とても悪い
悪い
普通 | ふつう
良い | よい
非常に良い | とても良い

전혀 그렇지 않다 | 매우 그렇지 않다
그렇지 않다
보통이다 | 보통
그렇다
매우 그렇다

😡 | 😠 | 😭
🙁 | ☹ | 😞 | 😟 | 😕
😐 | 😑
🙂 | 😊
😀 | 😃 | 😄 | 😁 | 😍 | 🤩
"""
