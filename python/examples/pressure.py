"""Register pressure along a kernel's code, and the cost of smaller register files.

    python python/examples/pressure.py examples/intmix/intmix.visaasm -p skl -o pressure.png

Without -o, or without matplotlib, the figures are printed.
"""

import argparse

import numpy as np

import kiln

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("source", help="vISA, text or binary")
parser.add_argument("-p", "--platform", default="skl")
parser.add_argument("-o", "--output", help="a picture to write")
args = parser.parse_args()

# %% The point of maximum pressure, and its live values
profile = kiln.pressure(args.source, platform=args.platform)[0]
peak = profile.peak
print(f"{profile.kernel}: at most {profile.grf[peak]} of {profile.limit} registers live, {profile.grf.mean():.1f} on average")
print(f"at instruction {profile.visa[peak]} of vISA, in {profile.loops[peak]} loops: {profile.text[peak]}")
for value in sorted(profile.values, key=lambda value: -value.grfs)[:5]:
    print(f"    {value.grfs:3} registers since point {value.since}, next read at {value.next}: {value.register}")

# %% The code above half of that
high = profile.grf > profile.grf.max() // 2
print(f"{high.mean():.0%} of the code exceeds half of that; maximum in loops {profile.grf[profile.loops > 0].max(initial=0)}")

# %% Smaller register files
sizes = [24, 28, 32, 40, 48, 64, 96, 128]
table = kiln.sweep(args.source, platform=args.platform, grf_limit=sizes, allocator=["scan", "ion"])
for name in np.unique(table["allocator"]):
    rows = table[table["allocator"] == name]
    print(name)
    for row in rows:
        print(f"    {row['grf_limit']:4} registers: {row['spills']:4} spills, {row['fills']:4} fills, {row['cycles']:9.0f} cycles")

if args.output:
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        raise SystemExit("matplotlib is not installed: pip install matplotlib")
    figure, (along, over) = plt.subplots(2, figsize=(9, 7), layout="constrained")
    along.fill_between(np.arange(len(profile.grf)), profile.grf, step="mid", alpha=0.4, label="registers")
    grf_bytes = next(p["grf_bytes"] for p in kiln.platforms() if args.platform.lower() in [p["name"], *p["aliases"]])
    along.step(np.arange(len(profile.grf)), profile.bytes / grf_bytes, where="mid", label="of them in use")
    along.axvline(peak, color="red", linewidth=0.8)
    along.set(xlabel="place in the code", ylabel="live registers", title=profile.kernel)
    along.legend()
    for name in np.unique(table["allocator"]):
        rows = table[(table["allocator"] == name) & table["compiled"]]
        over.plot(rows["grf_limit"], rows["spills"] + rows["fills"], marker="o", label=name)
    over.set(xlabel="registers", ylabel="spill and fill messages")
    over.legend()
    figure.savefig(args.output)
    print(args.output)
