#!/usr/bin/env python3
"""The fixtures in `corpus` of platforms that are packed: corpus.py unpack | pack

`corpus/packed/PLATFORM.tar.xz` has the files that lie in folders of the platform's name (`kernels/NAME/PLATFORM/NAME.zebin`).
`unpack` writes all to their places below `corpus`. `pack` puts what lies there into the archives, instead of files of the same names, and
removes it; an archive whose files stay as they are keeps its bytes. Scripts read through `files()`, and write in `loose()`.
"""
import contextlib
import functools
import hashlib
import io
import lzma
import os
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "corpus"
PACKED = CORPUS / "packed"
UNPACKED = CORPUS.parent / "target/corpus"
ENDING = ".tar.xz"


def platforms():
    """Names of the platforms that are packed."""
    return [path.name.removesuffix(ENDING) for path in sorted(PACKED.glob(f"*{ENDING}"))]


def members(platform):
    """Name and bytes of each file of a platform."""
    with tarfile.open(PACKED / f"{platform}{ENDING}") as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}


@functools.cache
def files():
    """A folder with the files of packed platforms, by their names in the corpus."""
    archives = sorted(PACKED.glob(f"*{ENDING}"))
    digest = hashlib.blake2b(b"".join(path.read_bytes() for path in archives), digest_size=8).hexdigest()
    folder = UNPACKED / digest
    if not folder.exists():
        UNPACKED.mkdir(parents=True, exist_ok=True)
        # Scripts run side by side: the first that is ready gives the folder its name.
        with tempfile.TemporaryDirectory(dir=UNPACKED) as made:
            write(Path(made) / "files")
            with contextlib.suppress(OSError):
                os.rename(Path(made) / "files", folder)
    return folder


def write(folder):
    """Writes the files of all packed platforms below a folder, and gives their names."""
    names = set()
    for platform in platforms():
        for name, data in members(platform).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
            names.add(name)
    return names


def own(folder, platform):
    """The folder with a platform's files of a kernel, whose folder is given."""
    inside = folder.is_relative_to(CORPUS) and platform in platforms()
    return (files() / folder.relative_to(CORPUS) if inside else folder) / platform


def texts(ending):
    """Name (its path in the project) and path of each file with an ending, those of packed platforms included."""
    found = {}
    for root in (CORPUS, files()):
        found |= {f"corpus/{path.relative_to(root)}": path for path in root.rglob(f"*{ending}")}
    return found


def pack(gone=()):
    """Puts the files of packed platforms that lie below `corpus` into the archives, without those that are `gone`, and removes them."""
    for platform in platforms():
        before = members(platform)
        folders = [path for path in CORPUS.rglob(platform) if path.is_dir()]
        found = {str(path.relative_to(CORPUS)): path.read_bytes()
                 for folder in folders for path in folder.rglob("*") if path.is_file()}
        after = {name: data for name, data in before.items() if name not in gone} | found
        if after != before:
            (PACKED / f"{platform}{ENDING}").write_bytes(archived(after))
        for folder in folders:
            shutil.rmtree(folder)


def archived(contents):
    """The archive of files: in the order of names, without times and owners."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(contents):
            member = tarfile.TarInfo(name)
            member.size = len(contents[name])
            archive.addfile(member, io.BytesIO(contents[name]))
    return lzma.compress(plain.getvalue(), preset=9 | lzma.PRESET_EXTREME)


@contextlib.contextmanager
def loose():
    """While it lasts, the files of all platforms lie below `corpus`; then they are packed, and those that were removed are gone. After an error
    they stay where they are: `pack` puts them back, or `git clean` removes them."""
    names = write(CORPUS)
    yield
    pack({name for name in names if not (CORPUS / name).exists()})


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["unpack"]:
            write(CORPUS)
        case ["pack"]:
            pack()
        case _:
            sys.exit(__doc__)
