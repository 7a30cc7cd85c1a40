"""Names of persons that are ordinary English words too."""

from __future__ import annotations

from typing import Final

_WORDS: Final = (
    "ace amber angel april arch archer art ash august autumn baker ball banker banks barber barker bay bean bear beck "
    "bell best bill birch bird bishop black blank bliss bloom blue bolt bond book booth bowl boy branch brand brandy "
    "brewer bridge bridges brook brooks brown buck bud burns bush butler button buy call camp can candy cannon carol "
    "carpenter carter case cash castle chance chandler chase cherry china christian church city clay cliff close "
    "cloud coach cole cook cooper copper cord corn couch cox craft cross crow crystal curry daily daisy dale dawn day "
    "deal dean dear diamond dick dill dollar dolly door dove dow drake draw drew driver duke early earnest east edge "
    "ever fair faith far farmer fast favor field fields finch fine fisher flint flower flowers flynt ford forest "
    "foster fox frank free french friend frost fry fuller gage gain gale garden garner gates gay gene general german "
    "gill ginger glass gold golden good goods grace grant grave graves gray green grey ground groves guy hale hall "
    "hand hands harbor hardy harmony harper hart haven hay hays hazel head heath heather heaven high hill hills ho "
    "holder holiday holly home hood hope horn house hull hunt hunter in iris ivory ivy jack jade jay jean jewel job "
    "jobs joy judge july june just justice kay keen key keys kid kind king kitchen knight lake land lane law laws "
    "leaf lean lee legend lemon liberty light lily line little lock long lord love low luck luna ma mace main major "
    "man mark marks marsh marshal mart mason master masters max may melody mercy merit merry miles mill miller mills "
    "mint mist moody moon more moss my nail nation new nice noble norm north oak oaks ok olive one or orchard page "
    "paige palm park parker parks part pat patience patty pay peace pearl penny pepper person pike piper pit plain "
    "plant plum pole pond pool pope porter post potter pound power powers precious price prince prior proctor "
    "prudence quarter queen quick rain rains ram rand ranger ray read real reason red reed reeves regal reign rest "
    "rice rich rider rising river rivers road rob rock rocks rod rose rowe royal ruby rush rusty sage sailor sale "
    "salt sand sands sandy savage saw say season see self sell seller sergeant shade sharp shell shepherd ship shoe "
    "short silver singer singleton skip sky small smart so sold song south spark sparks spear spot spring stack staff "
    "stage stands star stark state steel sterling stern still stock stone storm story stout strange street stride "
    "strong sue summer sun sunny swan sweet swift tall tanner taylor teller temple ten thatcher thorn tiger tower "
    "town trip tripp trout true trust tucker turner usher vale valley van victor viola violet virtue wade wait waiter "
    "wales walker wall walls want ward ware warner watch waters way weaver weeks well wells west wheeler whip whisper "
    "white wild will wills win winter winters wise wish wolf wood woods woody word worth yard yes you young zest"
)

ORDINARY_WORDS: Final = frozenset(_WORDS.split())
"""Names that, alone, are taken for one only with a capital letter inside a sentence; folded."""
