"""The package against the examples of the tree, whose results another OpenCL implementation computed."""

import doctest
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import kiln

TREE = Path(__file__).resolve().parents[2]
EXAMPLES = TREE / "examples"
SAXPY = EXAMPLES / "saxpy" / "saxpy.visaasm"
NBODY = EXAMPLES / "nbody" / "nbody.visaasm"
INTMIX = EXAMPLES / "intmix" / "intmix.visaasm"
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if (path / "launch.yaml").exists())


def file(path, dtype):
    return np.fromfile(EXAMPLES / path, dtype=dtype)


@pytest.mark.parametrize("name", NAMES)
def test_every_example_compiles_from_path_bytes_and_binary(name):
    path = EXAMPLES / name / f"{name}.visaasm"
    (kernel,) = kiln.compile(path, platform="skl").values()
    for same in (path.read_bytes(), str(path.with_suffix(".isa"))):
        assert kernel.code == kiln.compile(same, platform="KBL")[kernel.name].code
    assert kernel.name.rstrip("_") == name and kernel.platform == "skl" and not kernel.is_function
    lines = [line for line in kernel.asm().splitlines() if "//" not in line[:4] and not line.endswith(":")]
    assert kernel.instructions == len(lines)
    assert kernel.cycles > kernel.instructions


def test_a_module_is_a_mapping():
    module = kiln.compile(SAXPY, platform="skl")
    assert list(module) == ["saxpy"] and len(module) == 1
    with pytest.raises(KeyError):
        module["other"]
    assert "mov" in module["saxpy"].asm()
    assert kiln.disassemble(module["saxpy"].code, platform="skl") == module["saxpy"].asm()
    assert repr(module["saxpy"]).startswith("<kiln.Kernel: kernel saxpy, skl, ")


def test_what_is_no_machine_code_is_refused():
    with pytest.raises(ValueError, match="are no instructions of skl"):
        kiln.estimate_cycles(b"\xff" * 64, platform="skl")
    for function in (kiln.estimate_cycles, kiln.disassemble):
        with pytest.raises(ValueError, match="a multiple of 8"):
            function(bytes(7), platform="skl")


def test_options_are_named():
    with pytest.raises(TypeError, match="compile.* 'grf'"):
        kiln.compile(SAXPY, platform="skl", grf=64)


@pytest.mark.parametrize("compiled", [False, True])
def test_saxpy_runs_to_the_expected_results(compiled):
    x, y = file("saxpy/x.bin", np.float32), file("saxpy/y.bin", np.float32)
    args = [x, y, np.float32(2.5), np.uint32(1003)]
    launch = (EXAMPLES / "saxpy" / "launch.yaml").read_text()
    assert "f32: 2.5" in launch and "u32: 1003" in launch
    zebin = SAXPY.with_suffix(".zebin")
    if compiled:
        done = kiln.run(SAXPY, args, global_size=1024, local_size=64, platform="skl", info=zebin, check=True)
    else:
        done = kiln.run(zebin, args, global_size=[1024], local_size=[64])
    expected = file("saxpy/expect_y.bin", np.float32)
    np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-6)
    assert done.groups == 16 and done.instructions == done.by_place.sum()
    assert sum(done.by_instruction.values()) == done.instructions


def test_a_picture_is_drawn():
    pixels = np.zeros((96, 128), dtype=np.uint32)
    args = [pixels, np.float32(-2.25), np.float32(-1.2), np.float32(0.025), np.uint32(200)]
    zebin = EXAMPLES / "mandelbrot" / "mandelbrot.zebin"
    kiln.run(zebin, args, global_size=(128, 96), local_size=(16, 4))
    assert (pixels.ravel() == file("mandelbrot/expect_pixels.bin", np.uint32)).all()


def test_pressure_is_an_array_along_the_code():
    (profile,) = kiln.pressure(NBODY, platform="skl")
    assert profile.kernel == "nbody" and profile.limit == 124
    assert profile.grf.dtype == np.int64 and profile.grf.argmax() == profile.peak == profile.at
    assert len(profile.text) == len(profile.grf) == len(profile.visa) == len(profile.loops)
    assert (profile.bytes <= profile.grf * 32).all()
    assert profile.loops.max() == 2 and profile.visa.max() > 100
    assert sum(value.grfs for value in profile.values) == profile.grf[profile.peak]
    assert {value.kept for value in profile.values} <= {"active", "waiting", "constant"}
    assert profile.stored == [] and profile.reserved == 4 and profile.address_taken == 0
    # Equal to the maximum pressure of the compilation.
    assert kiln.compile(NBODY, platform="skl")["nbody"].max_pressure == profile.grf.max()
    instruction = int(profile.visa[profile.visa >= 0][3])
    (at,) = kiln.pressure(NBODY, platform="skl", at=instruction)
    assert at.visa[at.at] == instruction


def test_a_sweep_is_a_table():
    table = kiln.sweep(INTMIX, platform="skl", grf_limit=[24, 64, 128], allocator=["scan", "ion"])
    assert len(table) == 6 and set(table["kernel"]) == {"intmix"}
    scan = table[table["allocator"] == "scan"]
    assert scan["compiled"].all() and scan["spills"][0] > 0 and scan["spills"][-1] == 0
    assert (scan["cycles"] > 0).all()
    fewer = kiln.sweep(INTMIX, platform="skl", grf_limit=[128], without=[None, "schedule"])
    assert list(fewer["without"]) == ["", "schedule"]


def test_an_object_file_is_made():
    info = SAXPY.with_suffix(".zebin")
    made = kiln.compile(SAXPY, platform="skl").object_file(info)
    assert made.startswith(b"\x7fELF")
    with pytest.raises(kiln.ObjectError):
        kiln.compile(SAXPY, platform="skl").object_file(b"no information")


def test_errors_say_where():
    source = SAXPY.read_text()
    line = next(n for n, text in enumerate(source.splitlines(), 1) if text.startswith("    mul "))
    with pytest.raises(kiln.CompileError) as caught:
        kiln.compile(source.replace("    mul ", "    mull ", 1).encode(), platform="skl")
    error = caught.value
    assert (error.file, error.line, error.column) == ("<bytes>", line, 5)
    assert error.code.startswith("S") and "mull" in str(error)
    # A broken rule: the error has the kernel and the instruction.
    with pytest.raises(kiln.CompileError) as caught:
        kiln.compile(source.replace("    ret (M1, 1)", "    fcall (M1, 1) nowhere 1 1", 1).encode(), platform="skl")
    assert isinstance(caught.value, kiln.Error)
    with pytest.raises(kiln.UnsupportedError):
        kiln.compile(SAXPY, platform="bxt")
    with pytest.raises(FileNotFoundError):
        kiln.compile("nowhere.visaasm", platform="skl")


@pytest.mark.parametrize(
    "options",
    [
        {"platform": "none"},
        {"platform": "skl", "grf_limit": 4},
        {"platform": "skl", "optimize": 1},
        {"platform": "skl", "allocator": "none"},
        {"platform": "skl", "without": ["none"]},
        {"platform": "skl", "abi": 3},
        {"platform": "skl", "kernel": "none"},
    ],
)
def test_options_that_do_not_exist_are_value_errors(options):
    with pytest.raises(ValueError):
        kiln.compile(SAXPY, **options)


def test_launches_that_make_no_sense():
    x = np.zeros(64, dtype=np.float32)
    zebin = SAXPY.with_suffix(".zebin")
    with pytest.raises(kiln.RunError):
        kiln.run(zebin, [x], global_size=64, local_size=64)
    # Four times the existing elements.
    args = [x, x.copy(), np.float32(1), np.uint32(256)]
    with pytest.raises(kiln.RunError):
        kiln.run(zebin, args, global_size=256, local_size=64)
    with pytest.raises(kiln.RunError):
        kiln.run(zebin, [x, x.copy(), np.float32(1), np.uint32(64)], global_size=64, local_size=64, budget=10)
    with pytest.raises(TypeError):
        kiln.run(zebin, [x, x, 2.5, 64], global_size=64, local_size=64)
    with pytest.raises(ValueError):
        kiln.run(zebin, [], global_size=(64, 1), local_size=64)
    with pytest.raises(ValueError):
        kiln.run(SAXPY, [], global_size=64, local_size=64)


def test_other_threads_go_on_meanwhile():
    """A thread counts while another runs a kernel; with the lock held it could not."""
    pixels = np.zeros((480, 640), dtype=np.uint32)
    args = [pixels, np.float32(-2.25), np.float32(-1.2), np.float32(0.005), np.uint32(200)]
    zebin = EXAMPLES / "mandelbrot" / "mandelbrot.zebin"
    ended = threading.Event()

    def work():
        kiln.run(zebin, args, global_size=(640, 480), local_size=(16, 4), threads=1)
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    ticks = 0
    while not ended.is_set():
        time.sleep(0.005)
        ticks += 1
    thread.join()
    assert ticks >= 3


def test_platforms_and_passes_are_listed():
    skl = next(platform for platform in kiln.platforms() if platform["name"] == "skl")
    assert skl["compiles"] and "kbl" in skl["aliases"] and skl["grf_count"] == 128
    assert "schedule" in kiln.passes()


def test_the_example_script_runs(tmp_path):
    script = TREE / "python" / "examples" / "pressure.py"
    command = [sys.executable, str(script), str(INTMIX)]
    picture = tmp_path / "pressure.png"
    try:
        import matplotlib  # noqa: F401

        command += ["-o", str(picture)]
    except ImportError:
        pass
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "registers live" in said and "spills" in said
    assert len(command) == 3 or picture.read_bytes().startswith(b"\x89PNG")


def test_what_the_documentation_shows_is_true(monkeypatch):
    """The examples of the package's own help, and the code of the README and of the guide."""
    monkeypatch.chdir(TREE)
    tried = doctest.testmod(kiln)
    assert tried.attempted >= 4 and tried.failed == 0
    for page in ("python/README.md", "docs/pressure.md"):
        blocks = re.findall(r"```python\n(.*?)```", (TREE / page).read_text(), re.DOTALL)
        assert blocks
        for block in blocks:
            exec(compile(block, page, "exec"), {})
