//! The header of a binary: version, file-scope variables, and the position of each object.

use super::object::type_and_align;
use super::version::{Version, since};
use super::{Cursor, ReadError, ReadErrorKind, value};
use crate::module::{
    Global, GlobalAttr, Linkage, Module, Name, ObjectKind, Relocation, Relocations, has_objects,
};

/// Kernel or function listed in the header.
pub(super) struct Entry<'a> {
    pub kind: ObjectKind,
    pub name: Name,
    pub relocations: Relocations,
    /// Bytes of the object; an extern function has none.
    pub span: Option<Span<'a>>,
}

/// Span of an object as the header gives it, not yet checked against the file.
pub(super) struct Span<'a> {
    /// Position of the entry in the header, for errors.
    at: Cursor<'a>,
    start: u64,
    size: u64,
}

impl<'a> Span<'a> {
    /// Cursor over the object, if it is in the file.
    pub fn part(&self) -> Result<Cursor<'a>, ReadError> {
        self.at.part("an object", self.start, self.size)
    }
}

/// Size of an entry for native code: platform, offset and size.
const NATIVE_CODE_BYTES: usize = 9;

/// Reads the header: the module with its version and globals, and its objects, which do not overlap.
pub(super) fn read(bytes: &[u8]) -> Result<(Module, Vec<Entry<'_>>), ReadError> {
    let mut cursor = Cursor::new(bytes);
    let version = version(&mut cursor)?;
    let mut module = Module {
        version,
        ..Module::default()
    };
    let mut entries = Vec::new();
    for _ in 0..cursor.u16()? {
        let name = name(&mut cursor, version)?;
        let kind = ObjectKind::Kernel;
        let span = span(&mut cursor, kind)?;
        let _inputs = cursor.u32()?;
        let relocations = relocations(&mut cursor)?;
        let count = usize::from(cursor.u8()?);
        cursor.take(count * NATIVE_CODE_BYTES)?;
        entries.push(Entry {
            kind,
            name,
            relocations,
            span,
        });
    }
    for _ in 0..cursor.u16()? {
        module.globals.push(global(&mut cursor, version)?);
    }
    for _ in 0..cursor.u16()? {
        let linkage = linkage(&mut cursor)?;
        let name = name(&mut cursor, version)?;
        let kind = ObjectKind::Function {
            linkage,
            arg_grfs: 0,
            ret_grfs: 0,
        };
        let span = span(&mut cursor, kind)?;
        entries.push(Entry {
            kind,
            name,
            relocations: relocations(&mut cursor)?,
            span,
        });
    }
    // Objects of a module have their order in the file.
    entries.sort_by_key(|entry| entry.span.as_ref().map_or(u64::MAX, |span| span.start));
    check_apart(&entries)?;
    Ok((module, entries))
}

fn version(cursor: &mut Cursor) -> Result<Version, ReadError> {
    let at = *cursor;
    let magic = [cursor.u8()?, cursor.u8()?, cursor.u8()?, cursor.u8()?];
    if magic != *b"CISA" {
        return Err(at.error(ReadErrorKind::Magic { found: magic }));
    }
    let at = *cursor;
    let (major, minor) = (cursor.u8()?, cursor.u8()?);
    if !has_objects((major, minor)) {
        return Err(at.error(ReadErrorKind::Version { major, minor }));
    }
    Ok((major, minor))
}

fn name(cursor: &mut Cursor, version: Version) -> Result<Name, ReadError> {
    let len = if version >= since::WIDE_NAME_LENGTH {
        cursor.u16()?.into()
    } else {
        cursor.u8()?.into()
    };
    let at = *cursor;
    std::str::from_utf8(cursor.take(len)?)
        .map(Name::new)
        .map_err(|_| at.error(ReadErrorKind::Encoding("a name")))
}

/// Span of an object. An extern function is at 0 with 0 bytes.
fn span<'a>(cursor: &mut Cursor<'a>, kind: ObjectKind) -> Result<Option<Span<'a>>, ReadError> {
    let at = *cursor;
    let (start, size) = (cursor.u32()?.into(), cursor.u32()?.into());
    let is_extern = matches!(
        kind,
        ObjectKind::Function {
            linkage: Linkage::Extern,
            ..
        }
    );
    let elsewhere = is_extern && (start, size) == (0, 0);
    Ok((!elsewhere).then_some(Span { at, start, size }))
}

/// Rejects objects that overlap: a short file could otherwise hold many large objects. The entries are sorted by
/// their spans.
fn check_apart(entries: &[Entry]) -> Result<(), ReadError> {
    for pair in entries.windows(2) {
        let [before, entry] = pair else { continue };
        let (Some(other), Some(span)) = (&before.span, &entry.span) else {
            continue;
        };
        if span.start < other.start + other.size {
            return Err(span.at.error(ReadErrorKind::Overlap {
                name: entry.name.to_string(),
                other: before.name.to_string(),
                start: span.start,
                end: span.start + span.size,
            }));
        }
    }
    Ok(())
}

/// The tables of the file-scope variables and functions that an object refers to.
fn relocations(cursor: &mut Cursor) -> Result<Relocations, ReadError> {
    Ok(Relocations {
        variables: symbols(cursor)?,
        functions: symbols(cursor)?,
    })
}

fn symbols(cursor: &mut Cursor) -> Result<Vec<Relocation>, ReadError> {
    let count = usize::from(cursor.u16()?);
    let mut part = Cursor::new(cursor.take(4 * count)?);
    (0..count)
        .map(|_| {
            Ok(Relocation {
                symbolic: part.u16()?,
                resolved: part.u16()?,
            })
        })
        .collect()
}

fn linkage(cursor: &mut Cursor) -> Result<Linkage, ReadError> {
    let at = *cursor;
    match cursor.u8()? {
        0 => Ok(Linkage::Extern),
        1 => Ok(Linkage::Static),
        2 => Ok(Linkage::Global),
        n => Err(value(&at, "a linkage", n.into(), "0, 1 or 2")),
    }
}

fn global(cursor: &mut Cursor, version: Version) -> Result<Global, ReadError> {
    let linkage = linkage(cursor)?;
    let name = name(cursor, version)?;
    let (ty, align) = type_and_align(cursor)?;
    let elements = cursor.u16()?;
    let mut attrs = Vec::new();
    for _ in 0..cursor.u8()? {
        let name = cursor.number(version)?;
        let len = cursor.u8()?.into();
        let value = cursor.take(len)?.into();
        attrs.push(GlobalAttr { name, value });
    }
    Ok(Global {
        linkage,
        name,
        ty,
        align,
        elements,
        attrs,
    })
}
