//! From pointers of C to references, and back.

use std::ffi::{CStr, CString, c_char};

use crate::records::KilnResult;

/// What a pointer points to.
///
/// # Safety
/// See the crate's documentation.
pub unsafe fn reference<'a, T>(pointer: *const T) -> Result<&'a T, KilnResult> {
    check(pointer)?;
    // SAFETY: it is neither null nor misaligned, and points to a `T` by the caller's contract.
    Ok(unsafe { &*pointer })
}

/// The same, to change it.
///
/// # Safety
/// See the crate's documentation; and nobody else looks at it meanwhile.
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

/// So many elements; null may be none.
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
    // SAFETY: it is neither null nor misaligned, the size is one that memory can have, and so many elements are there
    // by the caller's contract.
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

/// Puts a value where the caller wants it.
///
/// # Safety
/// See the crate's documentation. What is there need not be a value yet.
pub unsafe fn put<T>(to: *mut T, value: T) -> Result<(), KilnResult> {
    check(to)?;
    // SAFETY: it is neither null nor misaligned, and has room for a `T` by the caller's contract.
    unsafe { to.write(value) };
    Ok(())
}

/// Copies bytes into the caller's buffer, and says how many they are, also if it has no room for them.
///
/// # Safety
/// See the crate's documentation.
pub unsafe fn copy(
    bytes: &[u8],
    buffer: *mut u8,
    capacity: usize,
    size: *mut usize,
) -> Result<(), KilnResult> {
    // SAFETY: the caller's contract.
    unsafe { put(size, bytes.len()) }?;
    if capacity < bytes.len() {
        return Err(KilnResult::ShortBuffer);
    }
    if bytes.is_empty() {
        return Ok(());
    }
    check(buffer)?;
    // SAFETY: it is not null and has room for `capacity` bytes by the caller's contract, which are enough; the library's
    // own memory is not in it.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer, bytes.len()) };
    Ok(())
}

/// Puts a handle of what `work` makes where the caller wants it, and until then NULL.
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

/// Frees what [`make`] gave; null is nothing.
///
/// # Safety
/// See the crate's documentation.
pub unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: it is of `Box::into_raw` by the caller's contract, and was not freed.
        drop(unsafe { Box::from_raw(handle) });
    }
}

/// A string for C. A zero byte in it would be its end: another character stands for it.
pub fn c_string(text: &str) -> CString {
    CString::new(text).unwrap_or_else(|_| {
        let shown = text.replace('\0', "\u{fffd}");
        CString::new(shown).unwrap_or_default()
    })
}

/// The pointer of a string that may be missing.
pub fn optional(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr())
}
