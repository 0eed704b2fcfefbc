//! Conversions between pointers of C and references.

use std::ffi::{CStr, CString, c_char};

use crate::records::KilnResult;

/// A reference to the pointer's target.
///
/// # Safety
/// See the crate's documentation.
pub unsafe fn reference<'a, T>(pointer: *const T) -> Result<&'a T, KilnResult> {
    check(pointer)?;
    // SAFETY: it is neither null nor misaligned, and points to a `T` by the caller's contract.
    Ok(unsafe { &*pointer })
}

/// A mutable reference to the pointer's target.
///
/// # Safety
/// See the crate's documentation; and there is no other reference to the target meanwhile.
pub unsafe fn mutable<'a, T>(pointer: *mut T) -> Result<&'a mut T, KilnResult> {
    check(pointer)?;
    // SAFETY: as in `reference`; it is the caller's alone.
    Ok(unsafe { &mut *pointer })
}

fn check<T>(pointer: *const T) -> Result<(), KilnResult> {
    match pointer.is_null() {
        true => Err(KilnResult::Null),
        false if !pointer.is_aligned() => Err(KilnResult::Argument),
        false => Ok(()),
    }
}

/// A slice of `count` elements; the pointer may be null if there are none.
///
/// # Safety
/// See the crate's documentation.
pub unsafe fn slice<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], KilnResult> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer)?;
    if count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(KilnResult::Argument);
    }
    // SAFETY: it is neither null nor misaligned, the size is possible, and `count` elements are there by the caller's
    // contract.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// A string.
///
/// # Safety
/// See the crate's documentation.
pub unsafe fn string<'a>(pointer: *const c_char) -> Result<&'a str, KilnResult> {
    check(pointer)?;
    // SAFETY: it is not null, and a zero byte ends the string by the caller's contract.
    let string = unsafe { CStr::from_ptr(pointer) };
    string.to_str().map_err(|_| KilnResult::Utf8)
}

/// Writes a value to the caller's variable.
///
/// # Safety
/// See the crate's documentation. The variable may be uninitialized.
pub unsafe fn put<T>(to: *mut T, value: T) -> Result<(), KilnResult> {
    check(to)?;
    // SAFETY: it is neither null nor misaligned, and has room for a `T` by the caller's contract.
    unsafe { to.write(value) };
    Ok(())
}

/// Copies records into the caller's buffer, and sets `size` to their number, also if the buffer is too short.
///
/// # Safety
/// See the crate's documentation.
pub unsafe fn copy<T: Copy>(
    records: &[T],
    buffer: *mut T,
    capacity: usize,
    size: *mut usize,
) -> Result<(), KilnResult> {
    // SAFETY: the caller's contract.
    unsafe { put(size, records.len()) }?;
    if capacity < records.len() {
        return Err(KilnResult::ShortBuffer);
    }
    if records.is_empty() {
        return Ok(());
    }
    check(buffer)?;
    // SAFETY: it is not null and has room for `capacity` records by the caller's contract, which suffice; the library's
    // own memory does not overlap it.
    unsafe { std::ptr::copy_nonoverlapping(records.as_ptr(), buffer, records.len()) };
    Ok(())
}

/// Writes the handle of the result of `work` to the caller's variable, and NULL before that.
///
/// # Safety
/// As of [`put`].
pub unsafe fn make<T>(
    out: *mut *mut T,
    work: impl FnOnce() -> Result<T, KilnResult>,
) -> Result<(), KilnResult> {
    // SAFETY: the caller's contract.
    unsafe { put(out, std::ptr::null_mut()) }?;
    let handle = Box::into_raw(Box::new(work()?));
    // SAFETY: the caller's contract.
    unsafe { put(out, handle) }
}

/// Frees a handle of [`make`]; null is ignored.
///
/// # Safety
/// See the crate's documentation.
pub unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: it comes from `Box::into_raw` by the caller's contract, and was not freed.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// A string for C; zero bytes in it are replaced by another character.
pub fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_else(|_| {
        let shown = text.replace('\0', "\u{fffd}");
        CString::new(shown).unwrap_or_default()
    })
}

/// The pointer of an optional string.
pub fn optional(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr())
}
