"""The words of this project: which ones grew here and mean nothing outside, and what the field calls the same things.

A row is (words, what to write, what is looked at):
    part    the word as a part of an identifier: quipu__usual_record
    name    the word as a name of its own in C: "class", "struct quipu__run"; as part of a name it says what it is of
A cursor, a pointer to the byte that comes next, may be called at; a number of that name is an offset, index or time.
Verbs of everyday English are fine in sentences, so comments and names of tests are only searched for words of PRIVATE.
"""
import io
import keyword
import re
import tokenize
from pathlib import Path

IDENTIFIERS = [
    ("strand strands follower followers turn turns settle settles settled", "state, tracker, transition, reconcile", "part"),
    ("begun thing things", "active interval", "part"),
    ("kept", "checkpoint, saved, retained", "part"),
    ("keep", "checkpoint; what is done: copy, save, retain", "name"),
    ("usual odd oddly", "fast path, canonical, malformed", "part"),
    ("plain", "canonical, uncompressed", "name"),
    ("crew crews equip dismiss attend", "worker pool, init, release, wait", "part"),
    ("take takes", "what is done: read, parse, next_task", "name"),
    ("lane lanes", "substream", "part"),
    ("piece pieces lent", "span, chunk, borrowed", "part"),
    ("ahead", "lookahead", "name"),
    ("run runs", "span", "name"),
    ("deal deals dealt dealing", "distribute, stream assignment", "part"),
    ("mend mends mended anew", "repair, rebuilt", "part"),
    ("making makings", "communicator constructor", "part"),
    ("moment moments", "time", "part"),
    ("spot spots star stars", "offset, process line", "part"),
    ("place places", "offset, where, location, position, slot", "part"),
    ("move moves", "transfer", "name"),
    ("how way ways", "options, mode, outcome", "part"),
    ("holds bridge bridges fate fates", "capabilities, mapping, outcome", "part"),
    ("freeze thaw frozen", "lock_definitions, unlock", "part"),
    ("pairs pending", "message key table, in-flight messages", "part"),
    ("sums", "statistics", "part"),
    ("sum", "statistics, total, checksum", "name"),
    ("parts", "files of a trace; of a text: words, pieces of a path: components", "part"),
    ("part", "file of a trace, section, range", "name"),
    ("class classes", "definition_class, call_class, interval_class", "name"),
    ("ledger ledgers", "conversion report, loss", "part"),
    ("nobody somebody", "none, another process", "part"),
]

# Words of comments, documents and names of tests: nobody who knows the trade would look for these.
PRIVATE = [
    (r"strands?|followers?", "state, tracker"),
    (r"crews?", "worker pool"),
    (r"lanes?", "substream"),
    (r"mend(s|ed|ing)?", "repair"),
    (r"makings", "communicator constructors"),
    (r"moments?", "time"),
    (r"fates?", "outcome"),
    (r"thaw(s|ed)?", "unlock"),
    (r"ledgers?", "conversion report"),
    (r"lent", "borrowed"),
    (r"dealt|dealing out|deals out|deal out", "distributed"),
    (r"anew", "again, rebuilt"),
    (r"nobody|somebody", "what or who it is"),
    (r"is no good|stands twice|as most are|comes? over", "plain English"),
]

# Messages and help that words.md rewrites; see there for the right sentence.
MESSAGES = [
    "is used that is not defined",
    "are not left at the end",
    "sent but not received",
    "the time goes back",
    "is no record that is known",
    "is odd",
    "there is such a",
    "says no format",
    "cannot be found out",
    "from the part chosen",
    "nothing of it lost",
    "does not keep",
    "has only some of its events",
    "there is no DUMPI trace in this folder",
    "(nothing in ",
    "(no room for ",
    "1 findings",
    "say what a trace is",
    "put streams together",
    "no remarks",
]

PREFIX = re.compile(r"^(quipu__|quipu_|QUIPU__|QUIPU_)")
# Names of others: what the drop-in libraries declare, MPI's and the systems' names; and PLAIN, the role of what has no role.
FOREIGN = re.compile(r"^(OTF|otf|OTFAUX|MPI|dumpi|undumpi|libundumpi|zstd|ZSTD|cmocka|assert)_|^(MPI|DUMPI|OTF)[A-Z]?[a-z]*$|^PLAIN$")
NUMBER_AT = re.compile(
    r"\b(?:u?int\d+_t|size_t|ptrdiff_t|int|unsigned|long|double)\s+(?:\w+(?:\s*=[^,;(){}]*)?,\s*)*at\s*[,;=)]"
)
C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*', re.S)

_USE = {(word, mode): use for words, use, mode in IDENTIFIERS for word in words.split()}
_PRIVATE = [(re.compile(rf"(?<![\w-])({pattern})(?![\w-])", re.I), use) for pattern, use in PRIVATE]


def of_identifier(name, modes=("part", "name")):
    """Pairs (word, what to write) of an identifier."""
    if FOREIGN.search(name):
        return []
    bare = PREFIX.sub("", name)
    if bare.startswith("test_"):
        return of_text(bare.replace("_", " "))
    parts = bare.lower().split("_")
    wanted = [(part, "part") for part in parts] + [(bare.lower(), "name")]
    return [(word, _USE[word, mode]) for word, mode in wanted if mode in modes and (word, mode) in _USE]


def of_text(text):
    """Pairs (word, what to write) of a comment or document."""
    return [(match[0].lower(), use) for pattern, use in _PRIVATE for match in pattern.finditer(text)]


def of_message(text):
    return [(phrase, "see words.md") for phrase in MESSAGES if phrase in text] + of_text(text)


def c_tokens(text):
    """Triples (comment, text or name; token; line number) of C."""
    for match in C_TOKEN.finditer(text):
        token = match[0]
        kind = "comment" if token[:2] in ("/*", "//") else "text" if token[0] in "\"'" else "name"
        yield kind, token, text.count("\n", 0, match.start()) + 1


def _python_tokens(text):
    kinds = {tokenize.NAME: "name", tokenize.STRING: "text", tokenize.COMMENT: "comment"}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds and not keyword.iskeyword(token.string):
            yield kinds[token.type], token.string, token.start[0]


def _numbers_called_at(text):
    for match in NUMBER_AT.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, "at", "offset, index, position"


def of_source(path, text):
    """Triples (line number, word, what to write) of a C file, a table or a Python script."""
    is_python = Path(path).suffix == ".py"
    for kind, token, number in (_python_tokens if is_python else c_tokens)(text):
        if kind == "name":
            found = of_identifier(token, ("part",) if is_python else ("part", "name"))
        else:
            found = of_message(token) if kind == "text" else of_text(token)
        for word, use in found:
            yield number, word, use
    if not is_python:
        yield from _numbers_called_at(text)
