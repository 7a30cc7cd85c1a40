"""The words of a text as FTS5's tokenizer ``unicode61 remove_diacritics 2`` cuts and folds them.

The server needs the same words as the index in Python: to compile a query, to score a match from its
row alone and to mark hits in a snippet. SQLite's rule rests on an old Unicode edition and on details
that ``unicodedata`` does not have (what it does not know is a letter; only some diacritics go), so
its tables are written down here. A test compares every code point with the SQLite library in use.
"""

from __future__ import annotations

import re
from functools import cache

Word = tuple[int, int, str]
"""One word: first character of the text and the one behind the last; the folded form."""


# Code points that make words, as hexadecimal ranges; every other one separates words.
_TOKEN = (
    "30-39 41-5a 61-7a aa b2-b3 b5 b9-ba bc-be c0-d6 d8-f6 f8-2c1 2c6-2d1 2e0-2e4 2ec 2ee 370-374 376-37d 37f-383 "
    "386 388-3f5 3f7-481 48a-559 560-588 58b-58e 590 5c8-5f2 5f5-5ff 605 61c-61d 620-64a 660-669 66e-66f 671-6d3 "
    "6d5 6e5-6e6 6ee-6fc 6ff 70e 710 712-72f 74b-7a5 7b1-7ea 7f4-7f5 7fa-815 81a 824 828 82e-82f 83f-858 85c-85d "
    "85f-8e3 8ff 904-939 93d 950 958-961 966-96f 971-980 984-9bb 9bd 9c5-9c6 9c9-9ca 9ce-9d6 9d8-9e1 9e4-9f1 "
    "9f4-9f9 9fc-a00 a04-a3b a3d a43-a46 a49-a4a a4e-a50 a52-a6f a72-a74 a76-a80 a84-abb abd ac6 aca ace-ae1 "
    "ae4-aef af2-b00 b04-b3b b3d b45-b46 b49-b4a b4e-b55 b58-b61 b64-b6f b71-b81 b83-bbd bc3-bc5 bc9 bce-bd6 "
    "bd8-bf2 bfb-c00 c04-c3d c45 c49 c4e-c54 c57-c61 c64-c7e c80-c81 c84-cbb cbd cc5 cc9 cce-cd4 cd7-ce1 ce4-d01 "
    "d04-d3d d45 d49 d4e-d56 d58-d61 d64-d78 d7a-d81 d84-dc9 dcb-dce dd5 dd7 de0-df1 df5-e30 e32-e33 e3b-e3e "
    "e40-e46 e50-e59 e5c-eb0 eb2-eb3 eba ebd-ec7 ece-f00 f20-f33 f40-f70 f88-f8c f98 fbd fcd fdb-102a 103f-1049 "
    "1050-1055 105a-105d 1061 1065-1066 106e-1070 1075-1081 108e 1090-1099 10a0-10fa 10fc-135c 1369-138f 139a-13ff "
    "1401-166c 166f-167f 1681-169a 169d-16ea 16ee-1711 1715-1731 1737-1751 1754-1771 1774-17b3 17d7 17dc 17de-17ff "
    "180f-18a8 18aa-191f 192c-192f 193c-193f 1941-1943 1946-19af 19c1-19c7 19ca-19dd 1a00-1a16 1a1c-1a1d 1a20-1a54 "
    "1a5f 1a7d-1a7e 1a80-1a9f 1aa7 1aae-1aff 1b05-1b33 1b45-1b59 1b7d-1b7f 1b83-1ba0 1bae-1be5 1bf4-1bfb 1c00-1c23 "
    "1c38-1c3a 1c40-1c7d 1c80-1cbf 1cc8-1ccf 1ce9-1cec 1cee-1cf1 1cf5-1dbf 1de7-1dfb 1e00-1fbc 1fbe 1fc2-1fcc "
    "1fd0-1fdc 1fe0-1fec 1ff0-1ffc 1fff 2065-2069 2070-2079 207f-2089 208f-209f 20ba-20cf 20f1-20ff 2102 2107 "
    "210a-2113 2115 2119-211d 2124 2126 2128 212a-212d 212f-2139 213c-213f 2145-2149 214e 2150-218f 23f4-23ff "
    "2427-243f 244b-249b 24ea-24ff 2700 2776-2793 2b4d-2b4f 2b5a-2ce4 2ceb-2cee 2cf2-2cf8 2cfd 2d00-2d6f 2d71-2d7e "
    "2d80-2ddf 2e2f 2e3c-2e7f 2e9a 2ef4-2eff 2fd6-2fef 2ffc-2fff 3005-3007 3021-3029 3031-3035 3038-303c 3040-3098 "
    "309d-309f 30a1-30fa 30fc-318f 3192-3195 31a0-31bf 31e4-31ff 321f-3229 3248-324f 3251-325f 3280-3289 32b1-32bf "
    "32ff 3400-4dbf 4e00-a48f a4c7-a4fd a500-a60c a610-a66e a67f-a69e a6a0-a6ef a6f8-a6ff a717-a71f a722-a788 "
    "a78b-a801 a803-a805 a807-a80a a80c-a822 a82c-a835 a83a-a873 a878-a87f a882-a8b3 a8c5-a8cd a8d0-a8df a8f2-a8f7 "
    "a8fb-a925 a930-a946 a954-a95e a960-a97f a984-a9b2 a9ce-a9dd a9e0-aa28 aa37-aa42 aa44-aa4b aa4e-aa5b aa60-aa76 "
    "aa7a aa7c-aaaf aab1 aab5-aab6 aab9-aabd aac0 aac2-aadd aae0-aaea aaf2-aaf4 aaf7-abe2 abee-d7ff e000-fb1d "
    "fb1f-fb28 fb2a-fbb1 fbc2-fd3d fd40-fdfb fdfe-fdff fe1a-fe1f fe27-fe2f fe53 fe67 fe6c-fefe ff00 ff10-ff19 "
    "ff21-ff3a ff41-ff5a ff66-ffdf ffe7 ffef-fff8 10000-100ff 10103-10136 10140-10178 1018a-1018f 1019c-101cf "
    "101fe-1039e 103a0-103cf 103d1-10856 10858-1091e 10920-1093e 10940-10a00 10a04 10a07-10a0b 10a10-10a37 "
    "10a3b-10a3e 10a40-10a4f 10a59-10a7e 10a80-10b38 10b40-10fff 11003-11037 1104e-1107f 11083-110af 110c2-110ff "
    "11103-11126 11135-1113f 11144-1117f 11183-111b2 111c1-111c4 111c9-116aa 116b8-1246f 12474-16f50 16f7f-16f8e "
    "16f93-1cfff 1d0f6-1d0ff 1d127-1d128 1d1de-1d1ff 1d246-1d2ff 1d357-1d6c0 1d6c2-1d6da 1d6dc-1d6fa 1d6fc-1d714 "
    "1d716-1d734 1d736-1d74e 1d750-1d76e 1d770-1d788 1d78a-1d7a8 1d7aa-1d7c2 1d7c4-1eeef 1eef2-1efff 1f02c-1f02f "
    "1f094-1f09f 1f0af-1f0b0 1f0bf-1f0c0 1f0d0 1f0e0-1f10f 1f12f 1f16c-1f16f 1f19b-1f1e5 1f203-1f20f 1f23b-1f23f "
    "1f249-1f24f 1f252-1f2ff 1f321-1f32f 1f336 1f37d-1f37f 1f394-1f39f 1f3c5 1f3cb-1f3df 1f3f1-1f3ff 1f43f 1f441 "
    "1f4f8 1f4fd-1f4ff 1f53e-1f53f 1f544-1f54f 1f568-1f5fa 1f641-1f644 1f650-1f67f 1f6c6-1f6ff 1f774-e0000 "
    "e0002-e001f e0080-e00ff e01f0-10ffff"
)

# Combining diacritics inside a word that folding drops; at the start of a word they separate.
_DROPPED = "300-304 306-30c 30f 311 31b 323-328 32d-32e 330-331"

# Folding of case and diacritics, one character to one character.
_FROM = (
    "ABCDEFGHIJKLMNOPQRSTUVWXYZµÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞàáâãäåçèéêëìíîïñòóôõöùúûüýÿĀāĂăĄąĆćĈĉĊċČčĎď"
    "ĐĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĦĨĩĪīĬĭĮįİĲĴĵĶķĹĺĻļĽľĿŁŃńŅņŇňŊŌōŎŏŐőŒŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŦŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽž"
    "ſƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠơƢƤƦƧƩƬƮƯưƱƲƳƵƷƸƼǄǅǇǈǊǋǍǎǏǐǑǒǓǔǕǖǗǘǙǚǛǜǞǟǠǢǤǦǧǨǩǪǫǬǭǮǰǱǲǴǵǶǷǸǹǺǻǼǾȀȁȂȃȄȅȆȇȈȉȊȋ"
    "ȌȍȎȏȐȑȒȓȔȕȖȗȘșȚțȜȞȟȠȢȤȦȧȨȩȪȫȬȭȮȯȰȱȲȳȺȻȽȾɁɃɄɅɆɈɊɌɎͰͲͶΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫςϏϐϑϕϖϘϚϜϞϠϢϤϦϨ"
    "ϪϬϮϰϱϴϵϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴ"
    "ҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤ"
    "ႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍḀḁḂḃḄḅḆḇḈḉḊḋḌḍḎḏḐḑḒḓḔḕḖḗḘḙḚḛḜḝḞḟḠḡḢḣḤḥḦḧḨḩḪḫḬḭḮḯḰḱḲḳḴḵḶḷḸḹḺḻḼḽḾḿṀ"
    "ṁṂṃṄṅṆṇṈṉṊṋṌṍṎṏṐṑṒṓṔṕṖṗṘṙṚṛṜṝṞṟṠṡṢṣṤṥṦṧṨṩṪṫṬṭṮṯṰṱṲṳṴṵṶṷṸṹṺṻṼṽṾṿẀẁẂẃẄẅẆẇẈẉẊẋẌẍẎẏẐẑẒẓẔẕẖẗẘẙẛẞẠạẢảẤấẦầẨ"
    "ẩẪẫẬậẮắẰằẲẳẴẵẶặẸẹẺẻẼẽẾếỀềỂểỄễỆệỈỉỊịỌọỎỏỐốỒồỔổỖỗỘộỚớỜờỞởỠỡỢợỤụỦủỨứỪừỬửỮữỰựỲỳỴỵỶỷỸỹỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩ"
    "ἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺ\u1fbbᾼ\u1fbeῈ\u1fc9Ὴ\u1fcbῌῘῙῚ\u1fdbῨῩῪ"
    "\u1febῬῸ\u1ff9Ὼ\u1ffbῼ\u2126\u212a\u212bℲⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩ"
    "ⰪⰫⰬⰭⰮⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆ"
    "ꚈꚊꚌꚎꚐꚒꚔꚖꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞠꞢꞤꞦꞨꞪＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉"
    "𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧"
)
_TO = (
    "abcdefghijklmnopqrstuvwxyzμaaaaaaæceeeeiiiiðnoooooøuuuuyþaaaaaaceeeeiiiinooooouuuuyyaaaaaaccccccccdd"
    "đeeeeeeeeeegggggggghhħiiiiiiiiiĳjjkkllllllŀłnnnnnnŋooooooœrrrrrrssssssssttttŧuuuuuuuuuuuuwwyyyzzzzzz"
    "sɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵooƣƥʀƨʃƭʈuuʊʋƴƶʒƹƽǆǆǉǉǌǌaaiioouuuuuuuuuuaaǡǣǥggkkooooǯjǳǳggƕƿnnaaǽǿaaaaeeeeiiii"
    "oooorrrruuuussttȝhhƞȣȥaaeeooooooooyyⱥȼƚⱦɂƀʉʌɇɉɋɍɏͱͳͷάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋσϗβθφπϙϛϝϟϡϣϥϧϩ"
    "ϫϭϯκρθεϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵ"
    "ҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄ"
    "ⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭaabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmm"
    "mmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwysßaaaaaaaaa"
    "aaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyyỻỽỿἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡ"
    "ἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰ\u1f71ᾳιὲ\u1f73ὴ\u1f75ῃῐῑὶ\u1f77ῠῡὺ\u1f7b"
    "ῥὸ\u1f79ὼ\u1f7dῳωkaⅎⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁ"
    "ⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽ"
    "ꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞡꞣꞥꞧꞩɦａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆"
    "𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏"
)


def _ranges(hexadecimal: str) -> str:
    """Return *hexadecimal* ranges as the inside of a regular expression's character class."""
    out = []
    for item in hexadecimal.split():
        first, _, last = item.partition("-")
        out.append(f"\\U{int(first, 16):08x}-\\U{int(last or first, 16):08x}")
    return "".join(out)


_ASCII_WORD = re.compile(r"[0-9a-z]+")
_ASCII_WORDS = bytes(ord(sign.lower()) if (sign := chr(code)).isalnum() and code < 128 else 32 for code in range(256))
"""What each ASCII sign is among words: itself in lower case, or a blank. Looked up much faster than matched."""

_SEPARATING = "\u2018\u2019\u201c\u201d\u2013\u2014\u2026\xa0"
"""Signs that separate words and that text in English has without being of another script."""

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


@cache
def _word(astral: bool) -> re.Pattern[str]:
    # Ranges above U+FFFF make the class four times slower, and few texts need them.
    letters = _ranges(_TOKEN if astral else _TOKEN[: _TOKEN.index(" 10000-")])
    return re.compile(f"[{letters}][{letters}{_ranges(_DROPPED)}]*")


@cache
def _folding() -> dict[int, int | None]:
    table: dict[int, int | None] = {ord(a): ord(b) for a, b in zip(_FROM, _TO, strict=True)}
    for item in _DROPPED.split():
        first, _, last = item.partition("-")
        table.update(dict.fromkeys(range(int(first, 16), int(last or first, 16) + 1)))
    return table


def _fold(word: str) -> str:
    return word.lower() if word.isascii() else word.translate(_folding())


def words(text: str) -> list[str]:
    """Return the folded words of *text*, in order."""
    if not text.isascii():
        for sign in _SEPARATING:
            text = text.replace(sign, " ")
    if text.isascii():
        return text.encode().translate(_ASCII_WORDS).decode().split()
    return [_fold(word) for word in _word(_ASTRAL.search(text) is not None).findall(text)]


def located_words(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """Return the words of ``text[start:end]`` with their places in *text*."""
    stop = len(text) if end is None else end
    if text.isascii():
        return [(*match.span(), match.group()) for match in _ASCII_WORD.finditer(text.lower(), start, stop)]
    pattern = _word(_ASTRAL.search(text) is not None)
    return [(*match.span(), _fold(match.group())) for match in pattern.finditer(text, start, stop)]
