//! Attributes of objects and variables, in the form that both readers give them.
//!
//! In the binary format an attribute is a name and bytes; in text, a name and a number, a string or nothing. Only
//! the name determines the type of the bytes. Both forms of an object give the same attributes:
//! - an attribute that is a flag is [`AttrValue::Flag`] if it is set, however it is written;
//! - `Target` is a number (`"cm"` is 0, `"3d"` is 1);
//! - `OutputAsmPath` is dropped: it says where the compiler put its dumps, and text leaves it out.

use crate::module::{Attr, AttrValue, Linkage, Name, Object, ObjectKind};

/// Type of an attribute's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flag,
    Int,
    Str,
}

/// Attributes of the specification whose values are not numbers.
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
/// Name of the attribute whose numbers have names in text.
pub(crate) const TARGET: &str = "Target";
/// The values of [`TARGET`] by number.
pub(crate) const TARGETS: [&str; 2] = ["cm", "3d"];
/// Number of the target of explicit SIMD.
pub(crate) const TARGET_CM: i64 = 0;

fn kind(name: &str) -> Kind {
    KINDS
        .iter()
        .find(|(n, _)| *n == name)
        .map_or(Kind::Int, |(_, k)| *k)
}

/// Attribute with this name and these bytes in a binary; `None` if the module does not keep it. A value whose size
/// is not a number's is a string.
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

/// Attribute with this name and value in text; `None` if the module does not keep it.
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

/// Marks an extern function by the attribute that text has for it.
pub(crate) fn extern_function(mut object: Object) -> Object {
    object.attrs.push(Attr {
        name: EXTERN,
        value: AttrValue::Flag,
    });
    object
}

/// Sets the properties of a function that its attributes give: `ArgSize` and `RetValSize` are the sizes of argument
/// and return value in GRFs; `Extern` makes it extern, otherwise it is global.
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

impl Object {
    /// True for a kernel of explicit SIMD: a thread is one work-item, and its instructions have execution sizes of
    /// their own.
    pub fn is_explicit(&self) -> bool {
        match self.int_attr("SimdSize") {
            Some(size) => size == 1,
            None => self.int_attr(TARGET) == Some(TARGET_CM),
        }
    }
}
