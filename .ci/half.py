"""The type half for PoCL, which lacks it: definitions that precede a kernel's source.

PoCL's compiler has `_Float16` and rounds after every operation. The functions are defined by those of float and double, element by
element. That is exact for functions such as the minimum or the next integer, because every half is a float. `fma` rounds a sum of
doubles, in which the product is exact. A conversion to half rounds an exact multiple of the half's last bit.
"""
INTEGERS = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"]
FLOATS = ["float", "double"]
SIZES = ["", "2", "3", "4", "8", "16"]
POWERS = ["2", "4", "8", "16"]
ROUNDINGS = {"": "rint", "_rte": "rint", "_rtz": "trunc", "_rtp": "ceil", "_rtn": "floor"}

HEAD = """
float half_load(size_t i, global const ushort *p) { return vload_half(i, (global const half *)p); }
#undef vload_half
#define vload_half(i, p) half_load(i, (global const ushort *)(p))
#define half _Float16
"""

# An overflow gives infinity if it is rounded away from zero, else the largest half.
ROUNDED = """
half half_{name}(double d)
{{
    if (d != d || fabs(d) == INFINITY || d == 0.0) return (half)(float)d;
    double last = ldexp(1.0, max(ilogb(d) - 10, -24));
    double rounded = {function}(d / last) * last;
    if (fabs(rounded) > 65504.0) {{
        int away = {away};
        return (half)(float)copysign(away ? (double)INFINITY : 65504.0, d);
    }}
    return (half)(float)copysign(rounded, d);
}}
"""
AWAY = {"rint": "1", "trunc": "0", "ceil": "d > 0", "floor": "d < 0"}


def each(size, result, name, parameters, element):
    """A function of vectors or scalars; `element` has `@` after each operand whose element is taken."""
    head = f"{result}{size} __attribute__((overloadable)) {name}({parameters})\n"
    if not size:
        return head + "{ return " + element.replace("@", "") + "; }\n"
    loop = f"for (int i = 0; i < {size}; i++) r[i] = {element.replace('@', '[i]')};"
    return f"{head}{{ {result}{size} r; {loop} return r; }}\n"


def access(n, space):
    """Loads and stores of vectors in an address space."""
    name = f"{space} half *p"
    text = each(n, "half", f"vload{n}", f"size_t at, const {name}", f"p[at * {n} + i]")
    if space == "constant":
        return text
    copy = f"for (int i = 0; i < {n}; i++) p[at * {n} + i] = v[i];"
    head = f"void __attribute__((overloadable)) vstore{n}(half{n} v, size_t at, {name})"
    return f"{text}{head} {{ {copy} }}\n"


def prelude():
    text = [HEAD]
    for function, away in AWAY.items():
        text.append(ROUNDED.format(name=function, function=function, away=away))
    for n in SIZES:
        h = f"half{n}"
        if n:
            text.append(f"typedef half {h} __attribute__((ext_vector_type({n})));\n")
            text.extend(access(n, space) for space in ["global", "local", "private", "constant"])
        text.append(f"#define as_{h}(x) __builtin_astype((x), {h})\n")
        for name in ["floor", "ceil", "trunc", "rint", "fabs"]:
            text.append(each(n, "half", name, f"{h} a", f"(half){name}((float)a@)"))
        for name, before in [("fmin", "<"), ("fmax", ">")]:
            # The second of two zeros, as in both compilers.
            smaller = f"a@ != a@ || !(b@ != b@ || a@ {before} b@) ? b@ : a@"
            text.append(each(n, "half", name, f"{h} a, {h} b", smaller))
        text.append(each(n, "half", "copysign", f"{h} a, {h} b", "(half)copysign((float)a@, (float)b@)"))
        total = "half_rint((double)a@ * (double)b@ + (double)c@)"
        text.append(each(n, "half", "fma", f"{h} a, {h} b, {h} c", total))
        for chosen in ["short", "ushort"]:
            which = "(short)c@ < 0" if n else "c"
            text.append(each(n, "half", "select", f"{h} a, {h} b, {chosen}{n} c", f"{which} ? b@ : a@"))
        for rounding, function in ROUNDINGS.items():
            for other in INTEGERS + FLOATS + ["half"]:
                value = f"half_{function}((double)a@)"
                text.append(each(n, "half", f"convert_{h}{rounding}", f"{other}{n} a", value))
            for other in FLOATS:
                text.append(each(n, other, f"convert_{other}{n}{rounding}", f"{h} a", f"({other})a@"))
            for other in INTEGERS:
                for sat in ["", "_sat"]:
                    value = f"convert_{other}{sat}{rounding}((float)a@)"
                    text.append(each(n, other, f"convert_{other}{n}{sat}{rounding}", f"{h} a", value))
    for n in POWERS:
        for other in POWERS:
            element = f"a[b@ & {int(other) - 1}]"
            text.append(each(n, "half", "shuffle", f"half{other} a, ushort{n} b", element))
    return "".join(text)
