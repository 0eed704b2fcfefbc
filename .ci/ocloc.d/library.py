"""Make calls of ocloc through a library: library.py LIBRARY FOLDER <calls >results

Calls are a list of lists of words in JSON. The files of FOLDER are passed in memory, those that end in `.h` as headers. A call whose first
word is `disk` has no variables for outputs, which then go to the current folder. Results are a list of records: the exit code,
outputs as pairs of a name and contents in base 64, and the result of freeing them.
"""
import base64
import ctypes
import json
import sys
from pathlib import Path

Bytes = ctypes.POINTER(ctypes.c_ubyte)


def passed(paths):
    """Arguments of oclocInvoke for files in memory: their number, contents, sizes and names."""
    # Texts are read to a zero byte.
    contents = [path.read_bytes() + b"\0" * (path.suffix != ".spv") for path in paths]
    buffers = [(ctypes.c_ubyte * len(data)).from_buffer_copy(data) for data in contents]
    count = len(paths)
    return (ctypes.c_uint32(count), (Bytes * count)(*[ctypes.cast(buffer, Bytes) for buffer in buffers]),
            (ctypes.c_uint64 * count)(*map(len, contents)), (ctypes.c_char_p * count)(*[path.name.encode() for path in paths]))


def call(library, words, paths):
    to_disk = words[0] == "disk"
    words = [b"ocloc", *(word.encode() for word in words[to_disk:])]
    sources, headers = ([path for path in paths if (path.suffix == ".h") == is_header] for is_header in (False, True))
    count, data, sizes, names = ctypes.c_uint32(0), ctypes.POINTER(Bytes)(), ctypes.POINTER(ctypes.c_uint64)(), ctypes.POINTER(ctypes.c_char_p)()
    outputs = [ctypes.byref(variable) for variable in (count, data, sizes, names)]
    code = library.oclocInvoke(len(words), (ctypes.c_char_p * len(words))(*words), *passed(sources), *passed(headers),
                               *([None] * 4 if to_disk else outputs))
    found = [(names[at].decode(), base64.b64encode(ctypes.string_at(data[at], sizes[at])).decode()) for at in range(count.value)]
    freed = library.oclocFreeOutput(*outputs)
    return {"code": code, "outputs": sorted(found), "free": freed}


library = ctypes.CDLL(sys.argv[1])
paths = sorted(Path(sys.argv[2]).iterdir())
print(json.dumps([call(library, words, paths) for words in json.load(sys.stdin)]))
