//! Attributes: what both readers agree on.
//!
//! The binary format has a name and bytes, text a name and a number, a string or nothing; only the
//! name says what the bytes are. So that both forms of one object have the same attributes:
//! - an attribute that is a flag is [`AttrValue::Flag`] if it is set, however it is written;
//! - `Target` is a number (`"cm"` is 0, `"3d"` is 1);
//! - `OutputAsmPath` is dropped: it says where the compiler put its dumps, and text leaves it out.

use crate::module::{Attr, AttrValue, Linkage, Name, Object, ObjectKind};

/// What the value of an attribute is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flag,
    Int,
    Str,
}

/// The attributes of the specification that are not numbers.
const KINDS: &[(&str, Kind)] = &[
    ("Extern", Kind::Flag),
    ("NoBarrier", Kind::Flag),
    ("Callable", Kind::Flag),
    ("Caller", Kind::Flag),
    ("Composable", Kind::Flag),
    ("Entry", Kind::Flag),
    ("Input", Kind::Flag),
    ("Output", Kind::Flag),
    ("PayloadLiveOut", Kind::Flag),
    ("Input_Output", Kind::Flag),
    ("NoWidening", Kind::Flag),
    ("DoNotSpill", Kind::Flag),
    ("ForceSpill", Kind::Flag),
    ("SepSpillPvtSS", Kind::Flag),
    ("LTO_InvokeOptTarget", Kind::Flag),
    ("AllLaneActive", Kind::Flag),
    ("ExclusiveLoad", Kind::Flag),
    ("DisableLoadThreadPayloadWA", Kind::Flag),
    (OUTPUT_PATH, Kind::Str),
];

const EXTERN: Name = Name::new_static("Extern");
const OUTPUT_PATH: &str = "OutputAsmPath";
/// The attribute whose numbers have names in text.
pub(crate) const TARGET: &str = "Target";
/// The values of [`TARGET`] by number.
pub(crate) const TARGETS: [&str; 2] = ["cm", "3d"];

fn kind(name: &str) -> Kind {
    KINDS
        .iter()
        .find(|(n, _)| *n == name)
        .map_or(Kind::Int, |(_, k)| *k)
}

/// The attribute of that name and those bytes in a binary; `None` if it is not kept. Values of
/// other sizes than a number's are strings.
pub(crate) fn from_bytes(name: Name, bytes: &[u8]) -> Option<Attr> {
    let int = match *bytes {
        [a] => Some(i64::from(a as i8)),
        [a, b] => Some(i64::from(i16::from_le_bytes([a, b]))),
        [a, b, c, d] => Some(i64::from(i32::from_le_bytes([a, b, c, d]))),
        _ => None,
    };
    let value = match (kind(&name), int) {
        _ if bytes.is_empty() => AttrValue::Flag,
        (Kind::Int | Kind::Flag, Some(v)) => AttrValue::Int(v),
        _ => AttrValue::Str(String::from_utf8_lossy(bytes).into()),
    };
    normal(name, value)
}

/// The attribute of that name and that value in text; `None` if it is not kept.
pub(crate) fn normal(name: Name, value: AttrValue) -> Option<Attr> {
    if name == OUTPUT_PATH {
        return None;
    }
    let target = |s: &str| TARGETS.iter().position(|t| *t == s);
    let value = match (kind(&name), value) {
        (Kind::Flag, AttrValue::Int(v)) if v != 0 => AttrValue::Flag,
        (_, AttrValue::Str(s)) if name == TARGET => match target(&s) {
            Some(n) => AttrValue::Int(n as i64),
            None => AttrValue::Str(s),
        },
        (_, value) => value,
    };
    Some(Attr { name, value })
}

/// A function that is elsewhere: text says so in an attribute.
pub(crate) fn extern_function(mut object: Object) -> Object {
    object.attrs.push(Attr {
        name: EXTERN,
        value: AttrValue::Flag,
    });
    object
}

/// What a function's attributes say of it: `ArgSize` and `RetValSize` are the sizes of its argument
/// and return value in GRFs, and it is extern with `Extern` and global without.
pub(crate) fn complete_function(object: &mut Object) {
    let size = |name| {
        object
            .int_attr(name)
            .map(|n| u8::try_from(n).unwrap_or(u8::MAX))
    };
    let sizes = (size("ArgSize"), size("RetValSize"));
    let is_extern = object.int_attr(&EXTERN).is_some_and(|n| n != 0);
    if let ObjectKind::Function {
        linkage,
        arg_grfs,
        ret_grfs,
    } = &mut object.kind
    {
        *linkage = if is_extern {
            Linkage::Extern
        } else {
            Linkage::Global
        };
        *arg_grfs = sizes.0.unwrap_or(*arg_grfs);
        *ret_grfs = sizes.1.unwrap_or(*ret_grfs);
    }
}
