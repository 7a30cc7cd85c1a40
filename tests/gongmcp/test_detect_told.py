"""Values told in many ways: remarks within addresses, rooms in pieces, links of every service, numbers beside codes."""

from __future__ import annotations

import re
from itertools import product

import pytest

from gongmcp.exposure.masking import find_spans, mask_sentences
from tests.gongmcp.told_lines import MASKED, STAYS

TOKEN, WORDS, NUMBER = "kT4wQ9zLm2Xb7Rp3", "falcon-heron", "9384417206"
LINKS = f"""
zoom.us/j/[{NUMBER}]
us02web.zoom.us/j/[{NUMBER}]?pwd=[{TOKEN}.1]
zoom.us/my/[becca.smith]
us06web.zoom.us/webinar/register/[WN_{TOKEN}]
zoom.us/rec/play/[{TOKEN}]
zoom.us/clips/share/[{TOKEN}]
app.zoom.us/wc/[{NUMBER}]/join?pwd=[{TOKEN}]
meet.google.com/[abd-efgh-ijk]
meet.google.com/lookup/[abdefghijk]
g.co/meet/[{WORDS}]
teams.microsoft.com/l/meetup-join/19%3ameeting_[{TOKEN}]%40thread.v2/0
teams.microsoft.com/meet/[{NUMBER}]?p=[{TOKEN}]
teams.live.com/meet/[{NUMBER}]?p=[{TOKEN}]
acme.webex.com/meet/[pr{NUMBER}]
acme.webex.com/acme/j.php?MTID=[m{NUMBER}ab]
meet.goto.com/[{NUMBER}]
global.gotomeeting.com/join/[{NUMBER}]
app.gotomeeting.com/?meetingId=[{NUMBER}]
whereby.com/[{WORDS}]?roomKey=[{TOKEN}]
acme.whereby.com/[{WORDS}]
meet.jit.si/[FalconHeron]
jitsi.example.org/[FalconHeron]
8x8.vc/acme/[{WORDS}-12]
chime.aws/[{NUMBER}]
app.chime.aws/meetings/[{NUMBER}]
v.ringcentral.com/join/[{NUMBER}]?pw=[{TOKEN}]
bluejeans.com/[{NUMBER}]/[4417]
dialpad.com/meetings/[{WORDS}]
meetings.dialpad.com/room/[{WORDS}]
join.slack.com/t/acme/shared_invite/[zt-{TOKEN}]
calendly.com/d/[abc-d3f-ghi]/demo
doodle.com/poll/[kt4wq9zlm2xb7rp3]
doodle.com/meeting/participate/id/[kT4wQ9zL]
acme.sharepoint.com/:v:/s/sales/[{TOKEN}{TOKEN}]?e=[kT4wQ9]
1drv.ms/v/s![{TOKEN}]
drive.google.com/file/d/[{TOKEN}{TOKEN}]/view?usp=sharing
drive.google.com/open?id=[{TOKEN}{TOKEN}]
docs.google.com/presentation/d/[{TOKEN}{TOKEN}]/edit
dropbox.com/scl/fi/[kt4wq9zlm2xb7rp3]/deck.pptx?rlkey=[kt4wq9zlm2xb]&dl=0
wetransfer.com/downloads/[kt4wq9zlm2xb7rp3kt4wq9zlm2]
we.tl/t-[{TOKEN}]
loom.com/share/[kt4wq9zlm2xb7rp3kt4wq9zlm2xb7rp3]
vimeo.com/[938441720]/[kt4wq9zlm2]
discord.gg/[kT4wQ9zL]
meet.example.org/[abd-efgh-ijk]
bbb.example.org/b/[abc-d3f-ghi]
webconf.example.org/rooms/[abc-def-ghi-jkl]/join
conf.example.com/room/[93844172]
files.example.net/s/[{TOKEN}]
""".split()
AROUND = (
    "Join here: {}",
    "Ich habe {} in die Einladung geschrieben.",
    "Le lien, c'est https://{}.",
    "Entre por https://{} mañana.",
)


def missed(line: str) -> list[str]:
    """Return what stands in brackets in *line* and is not masked."""
    sentences = re.sub(r"[\[\]]", "", line).split(" // ")
    masked = mask_sentences(sentences)
    return [
        secret
        for marked, sentence in zip(line.split(" // "), masked, strict=True)
        for secret in re.findall(r"\[([^\]]*)\]", marked)
        if secret in sentence.value
    ]


@pytest.mark.parametrize("line", MASKED)
def test_what_is_told_goes(line: str) -> None:
    assert not missed(line.split("|", 1)[1])


def test_links_of_every_service_go() -> None:
    assert not [link for around, link in product(AROUND, LINKS) if missed(around.format(link))]


@pytest.mark.parametrize("line", STAYS)
def test_what_only_looks_so_stays(line: str) -> None:
    sentences = line.split(" // ")
    assert [sentence.value for sentence in mask_sentences(sentences)] == sentences


@pytest.mark.parametrize(
    "sentence",
    [
        "[dash vogt], with two esses.",
        "The tail's [one two three].",
        "Dash [otter].",
        "It's [kim], no dot.",
        "Then [4TKm].",
    ],
)
def test_control_a_piece_alone_stays(sentence: str) -> None:
    """Only beside what was found, or behind what opens them, are they something."""
    assert missed(sentence)
    assert find_spans([re.sub(r"[\[\]]", "", sentence)]) is None
